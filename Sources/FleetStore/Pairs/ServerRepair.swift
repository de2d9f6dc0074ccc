import Rollcall
import RosterCore
package import XMPPStanza

/// The program of a server, which says how its rosters are edited.
package enum ServerProgram: String, Hashable, Sendable, CaseIterable {
  case prosody, ejabberd

  /// The program that a tap names, such as `Prosody 0.12.3`.
  package init?(named text: String) {
    let found = Self.allCases.first { text.lowercased().hasPrefix($0.rawValue) }
    guard let found else { return nil }
    self = found
  }
}

/// The edit of a roster that makes the wrong end of a disagreement agree with the right one.
package struct RosterEdit: Hashable, Sendable {
  /// The account whose roster is edited.
  package let account: BareJID
  package let contact: BareJID
  /// The subscription afterward; nil if the contact is not to be in the roster.
  package let subscription: RosterSubscription?
  package let name: String?
  package let groups: [String]

  /// The edit for a disagreement: the wrong end gets the stage of the right one. If it is wrong in
  /// the other direction too, the edit is for both, so that none takes another back.
  ///
  /// - Parameter item: The item of the contact in the roster of the wrong end; nil if there is
  ///   none.
  /// - Returns: Nil if no edit of a subscription helps: a request that was lost is sent again.
  package init?(_ found: FoundDisagreement, item: (BareJID, BareJID) throws -> RosterItem?) rethrows
  {
    let wrong = found.mismatch.authority.opposite
    let end = found.end(wrong)
    let item = try item(end.account, end.contact)
    var (to, from) = (
      item?.subscription.includesTo ?? false, item?.subscription.includesFrom ?? false
    )
    if found.mismatch == .unseenRequest { return nil }
    var mismatches = [found.mismatch]
    // In the other direction, the sides are exchanged.
    if let opposite = found.opposite, opposite.authority == wrong { mismatches.append(opposite) }
    for mismatch in mismatches {
      switch mismatch {
      case .unseenRequest: break
      // The request goes with any edit that sets the subscription.
      case .staleRequest: from = false
      case .unnoticedSubscription, .unseenAcceptance: to = true
      case .unseenEnd, .unansweredRequest: to = false
      }
    }
    (account, contact) = (end.account, end.contact)
    // A contact that is in no list is not added for a request that goes.
    subscription =
      to ? (from ? .both : .to) : (from ? .from : item == nil ? nil : RosterSubscription.none)
    (name, groups) = (item?.name, item?.groups ?? [])
  }

  /// The edit as a command line for a server. It is printed and never run.
  package func command(for server: ServerProgram) -> String {
    switch server {
    case .ejabberd:
      let addresses = [
        account.local ?? "", account.domain, contact.local ?? "", contact.domain,
      ]
      guard let subscription else {
        return "ejabberdctl delete_rosteritem "
          + addresses.map(Self.shellWord).joined(separator: " ")
      }
      let words =
        addresses + [
          name ?? "", groups.joined(separator: ";"), subscription.rawValue,
        ]
      return "ejabberdctl add_rosteritem " + words.map(Self.shellWord).joined(separator: " ")
    case .prosody:
      let (user, host) = (Self.lua(account.local ?? ""), Self.lua(account.domain))
      let jid = Self.lua(contact.text)
      var code = [
        "local rm = require \"core.rostermanager\"",
        "local r = rm.load_roster(\(user), \(host))",
      ]
      if let subscription {
        code += [
          "local i = r[\(jid)] or { groups = {} }",
          "i.subscription, i.ask = \(Self.lua(subscription.rawValue)), nil",
          "r[\(jid)] = i",
        ]
      }
      code += [
        "if r[false].pending then r[false].pending[\(jid)] = nil end",
        "rm.save_roster(\(user), \(host), r)",
      ]
      if subscription != nil { code.append("rm.roster_push(\(user), \(host), \(jid))") }
      return "prosodyctl shell, then: > " + code.joined(separator: "; ")
    }
  }

  /// A word for a shell.
  private static func shellWord(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy {
        $0.isASCIILetterOrDigit || "@%+=:,./-_".utf8.contains($0)
      }
    return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }

  /// A string for Lua, in which everything but letters and digits is written as bytes.
  private static func lua(_ text: String) -> String {
    "\""
      + text.utf8.map { byte in
        byte.isASCIILetterOrDigit || "@.-_".utf8.contains(byte)
          ? String(UnicodeScalar(byte))
          : "\\" + String(repeating: "0", count: 3 - String(byte).count) + String(byte)
      }.joined() + "\""
  }
}

extension UInt8 {
  fileprivate var isASCIILetterOrDigit: Bool {
    (self >= 48 && self < 58) || (self >= 65 && self < 91) || (self >= 97 && self < 123)
  }
}
