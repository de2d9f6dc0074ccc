package import SessionCore
package import XMPPStanza

/// A capture's statement about its stream, besides the XML: a line of the native format.
package enum Lifecycle: Hashable, Sendable {
  /// The header of a capture: its account, and whether it has only received elements.
  case header(account: JID?, inboundOnly: Bool)
  /// A connection was made, to this host and port if known.
  case connected(to: String?)
  /// The connection is encrypted, with this version of TLS if known.
  case secured(tls: String?)
  /// The stream is with the server of this domain, whose certificate was checked: its statements
  /// about the domain's accounts can be trusted.
  case verified(domain: BareJID)
  /// The stream is with the supposed server of this domain, without TLS or with a certificate that
  /// was not checked.
  case unverified(domain: BareJID)
  /// The server authenticated us, with this SASL mechanism if known.
  case authenticated(mechanism: String?)
  /// A stream was bound to an address.
  case opened(JID)
  /// A stream was resumed (XEP-0198).
  case resumed(JID?)
  /// The connection ended, for this reason if known.
  case closed(reason: String?)
  /// From here on, the recorder keeps what this policy says.
  case recorded(RecordingPolicy)

  /// The address that it names, or nil.
  package var jid: JID? {
    switch self {
    case .header(let account, _): account
    case .opened(let jid): jid
    case .resumed(let jid): jid
    case .verified(let domain), .unverified(let domain): JID(prepared: domain, resource: nil)
    case .connected, .secured, .authenticated, .closed, .recorded: nil
    }
  }

  /// Returns a copy with its address changed, and without any other name of a person or host.
  package func mapped(_ change: (JID) -> JID) -> Lifecycle {
    switch self {
    case .header(let account, let inboundOnly):
      .header(account: account.map(change), inboundOnly: inboundOnly)
    case .opened(let jid): .opened(change(jid))
    case .resumed(let jid): .resumed(jid.map(change))
    case .connected: .connected(to: nil)
    case .secured(let version): .secured(tls: version.filter(ProtocolVocabulary.isVersionOfTLS))
    case .verified(let domain): .verified(domain: change(JID(prepared: domain, resource: nil)).bare)
    case .unverified(let domain):
      .unverified(domain: change(JID(prepared: domain, resource: nil)).bare)
    case .authenticated(let name):
      .authenticated(mechanism: name.filter(ProtocolVocabulary.isMechanism))
    case .closed: .closed(reason: nil)
    case .recorded(let policy): .recorded(policy)
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
    case .connected(let host): members = Self.members("connected", "to", host)
    case .secured(let version): members = Self.members("secured", "tls", version)
    case .verified(let domain): members = Self.members("verified", "domain", domain.text)
    case .unverified(let domain): members = Self.members("unverified", "domain", domain.text)
    case .authenticated(let name): members = Self.members("authenticated", "mechanism", name)
    case .opened(let jid): members = Self.members("opened", "jid", "\(jid)")
    case .resumed(let jid): members = Self.members("resumed", "jid", jid?.description)
    case .closed(let reason): members = Self.members("closed", "reason", reason)
    case .recorded(let policy):
      members = [
        "stream": .string("recorded"), "messages": .string(policy.messages.rawValue),
        "acknowledgements": .string(policy.acknowledgements.rawValue),
      ]
    }
    return Array(JSONValue.object(members).text.utf8)
  }

  /// Returns the members of a line: what happened to a stream, and one detail if it is known.
  private static func members(
    _ word: String, _ key: String, _ value: String?
  ) -> [String: JSONValue] {
    var members = ["stream": JSONValue.string(word)]
    if let value { members[key] = .string(value) }
    return members
  }

  // MARK: Reading

  /// The key of a header, which no other line has; its value is the version of the format.
  static let versionKey = "rollcall-capture"

  /// Reads a line that `bytes` wrote; nil for any other.
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

  /// Reads a line that says what happened to a stream.
  init(stream object: [String: JSONValue]) throws(LineProblem) {
    switch object["stream"]?.string {
    case "connected": self = .connected(to: try Self.text("to", of: object))
    case "secured": self = .secured(tls: try Self.text("tls", of: object))
    case "verified": self = .verified(domain: try Self.domain(of: object))
    case "unverified": self = .unverified(domain: try Self.domain(of: object))
    case "authenticated":
      self = .authenticated(mechanism: try Self.text("mechanism", of: object))
    case "opened":
      guard let address = try Self.address("jid", of: object) else {
        throw LineProblem("an opened stream has no \"jid\"")
      }
      self = .opened(address)
    case "resumed": self = .resumed(try Self.address("jid", of: object))
    case "closed": self = .closed(reason: try Self.text("reason", of: object))
    case "recorded": self = .recorded(try Self.policy(of: object))
    default:
      throw LineProblem(
        "\"stream\" is none of \"connected\", \"secured\", \"verified\", \"unverified\", "
          + "\"authenticated\", \"opened\", \"resumed\", \"closed\", \"recorded\"")
    }
  }

  /// What a recorder keeps; what the line does not say is kept.
  private static func policy(
    of object: [String: JSONValue]
  ) throws(LineProblem) -> RecordingPolicy {
    RecordingPolicy(
      messages: try word("messages", of: object) ?? .all,
      acknowledgements: try word("acknowledgements", of: object) ?? .all)
  }

  /// One of the words for a part of a policy; nil if the line does not have it.
  private static func word<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String, of object: [String: JSONValue]
  ) throws(LineProblem) -> Word? {
    guard let text = try text(key, of: object) else { return nil }
    guard let word = Word(rawValue: text) else {
      let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw LineProblem("\"\(key)\" is none of \(words)")
    }
    return word
  }

  /// The domain of a server.
  private static func domain(of object: [String: JSONValue]) throws(LineProblem) -> BareJID {
    guard let jid = try address("domain", of: object), jid.resource == nil, jid.bare.local == nil
    else { throw LineProblem("\"domain\" is no domain") }
    return jid.bare
  }

  private static func text(
    _ key: String, of object: [String: JSONValue]
  ) throws(LineProblem) -> String? {
    guard let value = object[key], value != .null else { return nil }
    guard let text = value.string else { throw LineProblem("\"\(key)\" is not a string") }
    return text
  }

  private static func address(
    _ key: String, of object: [String: JSONValue]
  ) throws(LineProblem) -> JID? {
    guard let text = try text(key, of: object) else { return nil }
    do {
      return try JID(parsing: text)
    } catch {
      throw LineProblem("\"\(key)\" is no address: \(error)")
    }
  }
}

/// The reason why a line is not in the native format and is skipped.
struct LineProblem: Error {
  /// What is wrong, as a clause for the user.
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

extension String? {
  /// Returns the text if it is allowed, or nil.
  fileprivate func filter(_ isAllowed: (String) -> Bool) -> String? {
    flatMap { isAllowed($0) ? $0 : nil }
  }
}
