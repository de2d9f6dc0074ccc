import Foundation
package import RosterCore
package import XMPPStanza

/// What a capture says about its stream beside the XML, as a record keeps it: the line that the
/// native format has for it, without the time.
package enum Lifecycle: Hashable, Sendable {
  case header(account: JID?, inboundOnly: Bool)
  case opened(JID)
  case resumed(JID?)
  case closed

  /// What it means to the roster.
  package var event: RosterEvent {
    switch self {
    case .header(let account, let inboundOnly):
      .session(.captureBegan(account: account, inboundOnly: inboundOnly))
    case .opened(let jid): .session(.opened(jid))
    case .resumed(let jid): .session(.resumed(jid))
    case .closed: .session(.closed(isLost: true))
    }
  }

  /// The address it names, nil where it names none.
  package var jid: JID? {
    switch self {
    case .header(let account, _): account
    case .opened(let jid): jid
    case .resumed(let jid): jid
    case .closed: nil
    }
  }

  /// The same with another address.
  package func mapped(_ change: (JID) -> JID) -> Lifecycle {
    switch self {
    case .header(let account, let inboundOnly):
      .header(account: account.map(change), inboundOnly: inboundOnly)
    case .opened(let jid): .opened(change(jid))
    case .resumed(let jid): .resumed(jid.map(change))
    case .closed: .closed
    }
  }

  /// The line, without a line feed.
  package var bytes: [UInt8] {
    let members: [String: JSONValue]
    switch self {
    case .header(let account, let inboundOnly):
      members = ["rollcall-capture": .integer(1), "account": JSONValue(account?.description)]
        .merging(inboundOnly ? ["directions": .string("in")] : [:]) { a, _ in a }
    case .opened(let jid): members = ["stream": .string("opened"), "jid": .string("\(jid)")]
    case .resumed(let jid):
      members = ["stream": .string("resumed")]
        .merging(jid.map { ["jid": .string("\($0)")] } ?? [:]) { a, _ in a }
    case .closed: members = ["stream": .string("closed")]
    }
    return Array(JSONValue.object(members).text.utf8)
  }

  private struct Line: Decodable {
    var account: String?
    var directions: String?
    var stream: String?
    var jid: String?
  }

  /// Reads a line back; nil where it is none that `bytes` gives.
  package init?(_ bytes: [UInt8]) {
    guard let line = try? JSONDecoder().decode(Line.self, from: Data(bytes)) else { return nil }
    let jid = line.jid.flatMap { try? JID(parsing: $0) }
    switch (line.stream, jid) {
    case (nil, _):
      let account = line.account.flatMap { try? JID(parsing: $0) }
      self = .header(account: account, inboundOnly: line.directions == "in")
    case ("opened", let jid?): self = .opened(jid)
    case ("resumed", let jid): self = .resumed(jid)
    case ("closed", _): self = .closed
    default: return nil
    }
  }
}
