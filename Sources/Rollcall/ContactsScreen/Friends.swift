package import ContactSections
package import XMPPStanza

extension SectionPolicy.Friends {
  /// Whether an item of the roster is a friend's.
  package func includes(_ item: RosterItem) -> Bool {
    includes(ListedContact.Subscription(item.subscription))
  }
}
