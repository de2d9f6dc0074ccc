package import XMPPStanza

/// The last card of each account and form (rule 36).
///
/// Cards of both forms are kept side by side, because an account can change one and not the other.
package struct CardTable: Hashable, Sendable {
  private struct Key: Hashable {
    let jid: JID
    let form: Card.Form
  }

  private var cards: [Key: Card] = [:]

  /// Creates a table without cards.
  package init() {}

  /// Applies the answer to a request for a card, or the acceptance of our own.
  ///
  /// - Parameters:
  ///   - card: The card, which replaces all of the earlier one; nil for an error. An error or an
  ///     empty card means that the account has none.
  ///   - jid: The bare address that was asked, or our own.
  /// - Returns: The card, nil if there is none.
  @discardableResult
  package mutating func answered(
    _ card: XMPPElement?, _ form: Card.Form, of jid: JID, record: UInt64
  ) -> Card? {
    let read = card.flatMap { CardReader.card($0, form, of: jid, record: record) }
    cards[Key(jid: jid, form: form)] = read
    return read
  }

  /// The cards of an account, by form.
  package func cards(of account: BareJID) -> [Card] {
    let jid = JID(prepared: account, resource: nil)
    return Card.Form.allCases.compactMap { cards[Key(jid: jid, form: $0)] }
      .sorted { $0.form.rawValue < $1.form.rawValue }
  }

  /// The cards, by address and then by form. Complexity: O(n log n).
  package var all: [Card] {
    cards.values.sorted { a, b in
      a.jid == b.jid ? a.form.rawValue < b.form.rawValue : a.jid < b.jid
    }
  }
}
