package import XMPPStanza

/// What a capture says about its stream beside the XML: a line of the native format.
package enum Lifecycle: Hashable, Sendable {
  /// The capture says itself whose it is, and whether it holds one direction only.
  case header(account: JID?, inboundOnly: Bool)
  /// A stream was bound to an address.
  case opened(JID)
  /// A stream was resumed (XEP-0198).
  case resumed(JID?)
  /// The connection has gone.
  case closed

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

  // MARK: Writing

  /// The line, without its time and without a line feed.
  package var bytes: [UInt8] {
    let members: [String: JSONValue]
    switch self {
    case .header(let account, let inboundOnly):
      members = [Self.versionKey: .integer(1), "account": JSONValue(account?.description)]
        .merging(inboundOnly ? ["directions": .string("in")] : [:]) { a, _ in a }
    case .opened(let jid): members = ["stream": .string("opened"), "jid": .string("\(jid)")]
    case .resumed(let jid):
      members = ["stream": .string("resumed")]
        .merging(jid.map { ["jid": .string("\($0)")] } ?? [:]) { a, _ in a }
    case .closed: members = ["stream": .string("closed")]
    }
    return Array(JSONValue.object(members).text.utf8)
  }

  // MARK: Reading

  /// The key of a header, which no other line has; its value is the version of the format.
  static let versionKey = "rollcall-capture"

  /// Reads a line back; nil where it is none that `bytes` gives.
  package init?(_ bytes: [UInt8]) {
    guard let object = try? JSONScanner.object(bytes[...]) else { return nil }
    let line =
      object[Self.versionKey] == nil
      ? try? Self(stream: object) : try? Self(header: object, line: 1)
    guard let line else { return nil }
    self = line
  }

  /// Reads the first line of a capture.
  init(header object: [String: JSONValue], line: Int) throws(CaptureError) {
    switch object[Self.versionKey] {
    case .integer(1): break
    case .integer(let version): throw .unknownVersion(line: line, version)
    case nil: throw .badHeader(line: line, "it has no key \"\(Self.versionKey)\"")
    default: throw .badHeader(line: line, "\"\(Self.versionKey)\" is not a whole number")
    }
    let inboundOnly: Bool
    switch object["directions"] {
    case nil, .null: inboundOnly = false
    case .string("in"): inboundOnly = true
    default: throw .badHeader(line: line, "\"directions\" is not \"in\"")
    }
    do {
      self = .header(account: try Self.address("account", of: object), inboundOnly: inboundOnly)
    } catch {
      throw .badHeader(line: line, error.message)
    }
  }

  /// Reads a line that says what became of a stream.
  init(stream object: [String: JSONValue]) throws(LineProblem) {
    let address = try Self.address("jid", of: object)
    switch object["stream"] {
    case .string("opened"):
      guard let address else { throw LineProblem("an opened stream has no \"jid\"") }
      self = .opened(address)
    case .string("resumed"): self = .resumed(address)
    case .string("closed"): self = .closed
    default: throw LineProblem("\"stream\" is none of \"opened\", \"resumed\", \"closed\"")
    }
  }

  private static func address(
    _ key: String, of object: [String: JSONValue]
  ) throws(LineProblem) -> JID? {
    guard let value = object[key], value != .null else { return nil }
    guard let text = value.string else { throw LineProblem("\"\(key)\" is not a string") }
    do {
      return try JID(parsing: text)
    } catch {
      throw LineProblem("\"\(key)\" is no address: \(error)")
    }
  }
}

/// Why a line is none of the native format; it is skipped.
struct LineProblem: Error {
  /// What is wrong, as a clause for a person.
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
