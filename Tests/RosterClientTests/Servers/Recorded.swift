import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport

/// The records of a log, as text.
struct Recorded {
  struct Record {
    let direction: RecordDirection
    let text: String
  }

  let records: [Record]

  init(_ path: String) throws { try self.init(Timeline(ofLogAt: path)) }

  init(_ timeline: Timeline) throws {
    var records: [Record] = []
    try timeline.log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      let text = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
      records.append(Record(direction: header.direction, text: text))
    }
    self.records = records
  }

  /// The values of a key in the lifecycle records of a kind, such as the `mechanism` of those that
  /// say `authenticated`.
  func lifecycleValues(_ key: String, of stream: String) throws -> [String] {
    try records.compactMap { record in
      guard record.text.hasPrefix("{"),
        let line = try JSONSerialization.jsonObject(with: Data(record.text.utf8)) as? NSDictionary,
        line["stream"] as? String == stream
      else { return nil }
      return line[key] as? String
    }
  }

  /// The beginnings of login elements and of acknowledgements (XEP-0198 §4).
  private static let loginPrefixes = [
    "<stream:", "<starttls", "<proceed", "<auth", "<challenge", "<response", "<success", "<r ",
    "<a ",
  ]

  /// The end of the log without logins and acknowledgements, for a test that fails.
  var end: String {
    let rest = records.filter { record in
      !Self.loginPrefixes.contains { record.text.hasPrefix($0) }
    }
    return rest.suffix(200).map { "\($0.direction): \($0.text)" }.joined(separator: "\n")
  }

  /// Each contact as its last push has it, without removed contacts. For a session that fetched an
  /// empty roster, these are all contacts.
  var lastPushed: [String: StoredContact] {
    var contacts: [String: StoredContact] = [:]
    for record in records where record.direction == .inbound && record.text.hasPrefix("<iq") {
      let node = element(record.text)
      guard node.attribute("type") == "set",
        let item = node.child("query", in: Namespace.roster)?.child("item", in: Namespace.roster),
        let jid = item.attribute("jid")
      else { continue }
      let isRemoved = item.attribute("subscription") == "remove"
      contacts[jid] = isRemoved ? nil : StoredContact(item)
    }
    return contacts
  }

  /// The roster requests: their versions, and the elements that answered.
  var fetches: [(version: String?, answer: XMPPElement?)] {
    let elements = records.filter { $0.text.hasPrefix("<iq") }
      .map { ($0.direction, element($0.text)) }
    return elements.compactMap { direction, node in
      guard direction == .outbound, node.attribute("type") == "get",
        let query = node.child("query", in: Namespace.roster)
      else { return nil }
      let answer = elements.first { direction, other in
        direction == .inbound && other.attribute("id") == node.attribute("id")
          && other.attribute("type") == "result"
      }
      return (query.attribute("ver"), answer?.1)
    }
  }
}
