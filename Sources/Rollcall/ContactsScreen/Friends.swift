package import ContactSections
package import XMPPStanza

extension SectionPolicy.Friends {
  /// Whether the contact of a roster item is a friend.
  package func includes(_ item: RosterItem) -> Bool {
    includes(ListedContact.Subscription(item.subscription))
  }
}
