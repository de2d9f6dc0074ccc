public import Rollcall
import XMPPStanza

/// How a stanza was answered.
public enum StanzaAnswer: Hashable, Sendable {
  /// The result that answers a request, as it arrived, and its record. Credentials in it are not in
  /// the record.
  case result(XMPPElement, RecordStamp)
  /// The server has acknowledged that it handles the stanza (XEP-0198 §4).
  case acknowledged
  /// The stanza is recorded and written. The server acknowledges no stanzas.
  case written
}

// Every stanza, in both directions: for what has no command of its own.
extension LiveSession {
  /// Sends a stanza, and waits for its answer: for a request (`iq` of type `get` or `set`) the
  /// result, for any other stanza the server's acknowledgement if it acknowledges stanzas.
  ///
  /// The stanza is on disk before it is sent, and the answer before this returns. A request gets a
  /// new id if it has none, or one that another open request has. An answer counts only from the
  /// address that was asked, or from the own server if it was asked in place of the account.
  ///
  /// The longest wait is 65 seconds. A lost connection and a cancelled task end it. An error that
  /// answers a message or presence arrives with `stanzas`, usually after this has returned.
  ///
  /// - Parameter stanza: An `iq`, `message` or `presence` of `jabber:client`.
  /// - Throws: `LiveError`: `refused` if the answer is an error, `notAStanza` if the element cannot
  ///   be sent, and otherwise as `perform`.
  ///
  /// Complexity: linear in the stanza.
  @discardableResult
  public func send(_ stanza: XMPPElement) async throws(LiveError) -> StanzaAnswer {
    if let fault = stanza.faultAsStanza { throw .notAStanza(fault) }
    do throws(RequestFailure) {
      return try await request { $0.submitted(stanza) }
    } catch {
      throw error.error
    }
  }

  /// Sends a chat message, and waits until the server has it; see `send(_:)` for stanzas.
  @discardableResult
  public func send(_ message: ChatMessage) async throws(LiveError) -> StanzaAnswer {
    try await send(message.element)
  }

  /// Sends a note about a conversation, such as that a message was displayed; see `send(_:)` for
  /// stanzas.
  @discardableResult
  public func send(_ note: ChatNote, to jid: JID) async throws(LiveError) -> StanzaAnswer {
    try await send(note.element(to: jid))
  }

  /// Sends the user's availability to everyone who may see it (RFC 6121 §4.7.2); see `send(_:)` for
  /// stanzas.
  ///
  /// - Parameters:
  ///   - show: The availability.
  ///   - status: In the user's words.
  @discardableResult
  public func setPresence(
    _ show: Show = .available, status: String? = nil
  ) async throws(LiveError) -> StanzaAnswer {
    let word = show == .available ? nil : show.rawValue
    let parts = [("show", word), ("status", status)].compactMap { name, text in
      text.map { XMPPElement.element(name, Namespace.client, text: $0) }
    }
    return try await send(.element("presence", Namespace.client, [], parts))
  }

  /// Returns the stanzas that arrive from now on, for one watcher.
  ///
  /// What the session's policy keeps of each is on disk before it is delivered. The sequence ends
  /// with the session; if the session is over, it ends at once. Does not wait.
  ///
  /// - Parameter limit: How many stanzas may wait for a watcher that is slow, at least 1. Further
  ///   ones are left out, and the next one that is delivered has their number.
  public func stanzas(limit: Int = 256) -> ReceivedStanzas {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ReceivedStanza.self, bufferingPolicy: .bufferingOldest(max(1, limit)))
    if isEnded {
      continuation.finish()
    } else {
      let number = nextWait()
      stanzaWatchers[number] = StanzaWatcher(continuation)
      continuation.onTermination = atEnd { $0.stanzaWatchers[number] = nil }
    }
    return ReceivedStanzas(stream: stream)
  }

  /// A part of the server's stream within the session is on disk.
  func stanzaArrived(_ step: SessionStep) {
    guard case .element(let element) = step.part, element.isStanza else { return }
    for watcher in stanzaWatchers.values { watcher.tell(element, step.stamp) }
  }

  /// Ends the sequences of stanzas.
  func closeStanzas() {
    for watcher in stanzaWatchers.values { watcher.close() }
    stanzaWatchers = [:]
  }
}
