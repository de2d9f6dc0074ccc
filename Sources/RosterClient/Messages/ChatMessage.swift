import ConversationCore
import Foundation
public import Rollcall
import XMPPStanza

/// A chat message to send: a text, a file, or both.
///
///     let message = ChatMessage("你好", to: bob)
///     try await session.send(message)
///     try await session.send(message.corrected(to: "你好!"))
public struct ChatMessage: Hashable, Sendable {
  /// The recipient; usually the bare address, so that all of its devices get the message.
  public var to: JID
  /// The text; empty for a file without a text.
  public var text: String
  /// The id of the stanza and origin id (XEP-0359), which receipts, markers and corrections name.
  public let id: String
  /// The id of the message that this one corrects (XEP-0308): always that of the first version; nil
  /// for a new message.
  public let corrects: String?
  /// Whether to ask the recipient for a receipt (XEP-0184).
  public var requestsReceipt = true
  /// Whether to ask the recipient for a sign that the message was displayed (XEP-0333).
  public var isMarkable = true
  /// The file, which `LiveSession.upload` has uploaded; nil for a text alone.
  public var file: SharedFile?

  /// A text message.
  ///
  /// - Parameters:
  ///   - text: The text, which may be empty beside a file.
  ///   - jid: The recipient; the bare address reaches all of its devices.
  ///   - id: An id that no other message of the account has.
  public init(_ text: String, to jid: JID, id: String = ChatMessage.anyID()) {
    self.init(text, to: jid, id: id, corrects: nil)
  }

  private init(_ text: String, to jid: JID, id: String, corrects: String?) {
    (to, self.text, self.id, self.corrects) = (jid, text, id, corrects)
  }

  /// A unique id.
  public static func anyID() -> String { UUID().uuidString.lowercased() }

  /// A correction of this message (XEP-0308), which replaces its text and its file.
  ///
  /// - Parameters:
  ///   - text: The new text.
  ///   - id: The id of the correction itself.
  public func corrected(to text: String, id: String = ChatMessage.anyID()) -> ChatMessage {
    var correction = ChatMessage(text, to: to, id: id, corrects: corrects ?? self.id)
    (correction.requestsReceipt, correction.isMarkable) = (requestsReceipt, isMarkable)
    return correction
  }

  /// A correction of a message whose id is known from the log.
  ///
  /// - Parameters:
  ///   - corrected: The id of the first version of the message.
  ///   - text: The new text.
  ///   - jid: The recipient of the message.
  ///   - id: The id of the correction itself.
  public static func correction(
    of corrected: String, with text: String, to jid: JID, id: String = ChatMessage.anyID()
  ) -> ChatMessage {
    ChatMessage(text, to: jid, id: id, corrects: corrected)
  }

  /// The stanza.
  public var element: XMPPElement {
    var children = file.map { $0.elements(beside: text) } ?? [Self.body(text)]
    if let corrects {
      children.append(.element("replace", Namespace.correction, [("id", corrects)]))
    }
    if requestsReceipt { children.append(.element("request", Namespace.receipts)) }
    if isMarkable { children.append(.element("markable", Namespace.markers)) }
    children.append(.element("origin-id", Namespace.stanzaIDs, [("id", id)]))
    children.append(.element("active", Namespace.chatStates))
    return .element(
      "message", Namespace.client, [("to", to.description), ("type", "chat"), ("id", id)],
      children)
  }

  static func body(_ text: String) -> XMPPElement {
    .element("body", Namespace.client, text: text)
  }
}

/// A note about a conversation that is not a message.
public enum ChatNote: Hashable, Sendable {
  /// The message with this id has arrived (XEP-0184). Only for messages that ask for a receipt: it
  /// tells the sender that we are online.
  case received(String)
  /// The user has seen the message with this id, and all before it (XEP-0333).
  case displayed(String)
  /// The user is writing, or has stopped writing (XEP-0085).
  case composing, paused

  /// The stanza.
  ///
  /// - Parameters:
  ///   - jid: The recipient, who wrote the message or reads along.
  ///   - id: The id of the stanza.
  public func element(to jid: JID, id: String = ChatMessage.anyID()) -> XMPPElement {
    let children: [XMPPElement] =
      switch self {
      // The hints let the archive keep the note, and keep it from being stored, respectively
      // (XEP-0334).
      case .received(let name):
        [.element("received", Namespace.receipts, [("id", name)]), .hint("store")]
      case .displayed(let name):
        [.element("displayed", Namespace.markers, [("id", name)]), .hint("store")]
      case .composing: [.element("composing", Namespace.chatStates), .hint("no-store")]
      case .paused: [.element("paused", Namespace.chatStates), .hint("no-store")]
      }
    return .element(
      "message", Namespace.client, [("to", jid.description), ("type", "chat"), ("id", id)],
      children)
  }
}

extension XMPPElement {
  /// A hint for servers (XEP-0334).
  fileprivate static func hint(_ name: String) -> XMPPElement { element(name, Namespace.hints) }
}

extension Namespace {
  /// XEP-0085.
  static let chatStates = "http://jabber.org/protocol/chatstates"
}
