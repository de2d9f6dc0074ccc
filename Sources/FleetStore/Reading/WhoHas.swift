import EventStore
import Rollcall
package import RosterCore
package import XMPPStanza
import RawBytes

/// Whose rosters a contact is in.
package enum ContactQuery: Hashable, Sendable {
  case contact(BareJID)
  /// All contacts of a domain.
  case domain(String)

  /// Parses an address, or a domain after an `@`.
  ///
  /// - Throws: `JIDError`.
  package init(parsing text: String) throws(JIDError) {
    if text.hasPrefix("@") {
      self = .domain(try BareJID(parsing: String(text.dropFirst())).text)
    } else {
      self = .contact(try JID(parsing: text).bare)
    }
  }
}

/// An end of a subscription, as a query finds it.
package struct FoundEnd: Hashable, Sendable {
  package let account: BareJID
  package let contact: BareJID
  package let row: EndRow
  /// Whether the account's whole roster is known.
  package let isComplete: Bool
}

extension FleetShard {
  /// The ends that a query asks for.
  package func ends(_ query: ContactQuery) throws -> [FoundEnd] {
    try log.read { transaction in
      var found: [FoundEnd] = []
      var only: BareJID?
      if case .contact(let contact) = query { only = contact }
      try transaction.forEachEnd(of: only) { key, row in
        let contact: BareJID
        if let only {
          contact = only
        } else {
          guard case .domain(let domain) = query, key.mayBe(of: domain) else { return }
          contact = try transaction.contact(key)
          guard contact.domain == domain else { return }
        }
        guard let account = try transaction.account(key.account) else {
          throw EventLogError.corruptEntry("the account of an end is missing")
        }
        found.append(
          FoundEnd(
            account: account.account, contact: contact, row: row, isComplete: account.isComplete))
      }
      return found.sorted { ($0.contact, $0.account) < ($1.contact, $1.account) }
    }
  }
}

extension EndKey {
  /// Whether the contact may be of a domain, as far as the key says.
  fileprivate func mayBe(of domain: String) -> Bool {
    guard isWhole else { return true }
    return domain.withUTF8Bytes { domain in
      contact.byteCount >= domain.byteCount
        && contact.extracting((contact.byteCount - domain.byteCount)...).isSame(as: domain)
    }
  }
}

/// A request that awaits an answer.
package struct OpenRequest: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The account asks the contact.
    case outgoing
    /// The contact asks the account.
    case incoming
  }

  package let kind: Kind
  package let account: BareJID
  package let contact: BareJID
  /// The account's record that opened it, and the time of that.
  package let since: RecordStamp
}

extension FleetShard {
  /// The requests that await an answer.
  ///
  /// - Parameter end: Only those that were opened at or before this time; nil for all.
  package func openRequests(before end: Int64?) throws -> [OpenRequest] {
    try log.read { transaction in
      var accounts: Set<AccountNumber> = []
      try transaction.forEachEnd { key, row in
        let facts = row.facts
        guard facts.incoming == .open || facts.outgoing != .none else { return }
        accounts.insert(key.account)
      }
      var found: [OpenRequest] = []
      for number in accounts {
        let view = try transaction.view(of: number)
        func add(_ kind: OpenRequest.Kind, _ contact: BareJID, _ since: RecordStamp) {
          if let end {
            guard let time = since.time, time <= end else { return }
          }
          found.append(
            OpenRequest(kind: kind, account: view.row.account, contact: contact, since: since))
        }
        for (contact, request) in view.roster.outgoing { add(.outgoing, contact, request.since) }
        for (contact, request) in view.roster.incoming { add(.incoming, contact, request.since) }
      }
      return found.sorted {
        ($0.account, $0.contact, $0.kind.rawValue) < ($1.account, $1.contact, $1.kind.rawValue)
      }
    }
  }
}
