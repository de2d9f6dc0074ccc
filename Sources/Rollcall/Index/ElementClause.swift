import Captures
package import EventStore
import RosterCore
package import XMPPStanza

extension SubjectClause {
  /// What a record that means nothing to the roster is, in a short clause: “we send iq get
  /// disco#info”, “acknowledges what arrived”. Says nothing of what people wrote.
  ///
  /// - Parameters:
  ///   - element: The element in its bytes; nil if it is none.
  ///   - account: Whose log it is.
  package init(
    _ header: RecordHeader, _ bytes: [UInt8], element: XMPPElement?, account: BareJID?
  ) {
    switch header.kind {
    case .element: self = Self.clause(of: element, header.direction, account: account)
    case .annotation: self.init(Self.note(AnnotationLine(bytes)))
    case .policy: self.init(RecordingPolicy(record: bytes)?.clause ?? "a policy of this log")
    case .unreadable:
      let reason = UnreadableBytes(line: bytes)?.reason
      self.init("bytes that cannot be read" + (reason.map { ": \($0)" } ?? ""))
    default: self.init("the capture says something of the stream")
    }
  }

  private static func note(_ line: AnnotationLine?) -> String {
    guard case .bookmark(let name, _)? = line else { return "a note in the log" }
    return "the user sets the bookmark “\(name)”"
  }

  private static func clause(
    of element: XMPPElement?, _ direction: RecordDirection, account: BareJID?
  ) -> SubjectClause {
    guard let element else { return SubjectClause("bytes that are no element") }
    let isOurs = direction == .outbound
    if let words = element.streamWords {
      return SubjectClause((isOurs ? "we " : "the server ") + (isOurs ? words.ours : words.theirs))
    }
    let words = element.stanzaWords
    let other = (element.attribute(isOurs ? "to" : "from")).flatMap { try? JID(parsing: $0).bare }
    guard let other, other != account else {
      return SubjectClause(isOurs ? "we send \(words)" : "the server sends \(words)")
    }
    return isOurs
      ? SubjectClause(of: other, "we send \(words)", full: "we send \(words) to \(other)")
      : SubjectClause(of: other, "sends \(words)", full: "\(other) sends \(words)")
  }
}

extension XMPPElement {
  /// What an element of stream management or of the login does, after “we” and after “the server”;
  /// nil for a stanza.
  fileprivate var streamWords: (ours: String, theirs: String)? {
    switch name.local {
    case "r": ("ask what has arrived", "asks what has arrived")
    case "a": ("acknowledge what arrived", "acknowledges what arrived")
    case "enable": ("ask for stream management", "asks for stream management")
    case "enabled": ("turn stream management on", "turns stream management on")
    case "resume": ("ask to resume the session", "asks to resume the session")
    case "resumed": ("resume the session", "resumes the session")
    case "features": ("offer features", "offers features")
    case "starttls": ("ask for TLS", "asks for TLS")
    case "proceed": ("begin TLS", "begins TLS")
    case "auth", "authenticate": ("begin to log in", "begins to log in")
    case "challenge": ("send a challenge", "sends a challenge")
    case "response": ("answer the challenge", "answers the challenge")
    case "success": ("accept the login", "accepts the login")
    case "failure", "failed": ("report a failure", "reports a failure")
    case "error" where name.namespace == Namespace.streams:
      ("end the stream with an error", "ends the stream with an error")
    default: nil
    }
  }

  /// What a stanza is: its name, its type, and its payload.
  fileprivate var stanzaWords: String {
    var words = [name.local]
    if let type = attribute("type") { words.append(type) }
    if name.local == "iq" || name.local == "message", let payload = payloadName {
      words.append(payload)
    }
    return words.joined(separator: " ")
  }

  /// The end of the first payload's namespace, such as `disco#info`, or its name.
  private var payloadName: String? {
    for child in children where child.name.namespace != Namespace.client {
      let namespace = child.name.namespace
      let tail = namespace.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init)
      guard let tail, !tail.isEmpty, !tail.allSatisfy(\.isNumber) else { return child.name.local }
      return tail == child.name.local ? tail : "\(tail) \(child.name.local)"
    }
    return nil
  }
}
