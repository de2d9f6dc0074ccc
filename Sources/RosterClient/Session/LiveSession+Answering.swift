public import Rollcall
public import XMPPStanza

// Requests of others that the application answers.
extension LiveSession {
  /// Leaves the requests of these namespaces to the application.
  ///
  /// Such a request (an `iq` of type `get` or `set` with one child in a namespace of the set)
  /// arrives with `stanzas()` and is answered with `answer` or `refuse`. If that has not happened
  /// after about half a minute, or the session is closed first, the session refuses the request
  /// with `service-unavailable`, as it does at once with every other request: each is answered
  /// exactly once (RFC 6120 §8.2.3). At most 256 requests wait; further ones are refused. The
  /// session itself answers pings and pushes of the roster and the block list.
  ///
  /// - Parameter namespaces: All namespaces that the application answers from now on; they replace
  ///   those of an earlier call. They hold for later connections, too.
  public func answerRequests(in namespaces: Set<String>) {
    answeredNamespaces = namespaces
    machine?.namespaces = namespaces
  }

  /// Answers a request with a result, and waits until the server has it, as `send(_:)` does.
  ///
  /// - Parameters:
  ///   - request: A request that arrived with `stanzas()`, of a namespace that was left to the
  ///     application.
  ///   - payload: The content of the result; nil for none.
  /// - Throws: `LiveError`: `notAStanza` if the request is not open, because it was already
  ///   answered or its session has ended, and otherwise as `send(_:)` for stanzas.
  @discardableResult
  public func answer(
    _ request: ReceivedStanza, with payload: XMPPElement? = nil
  ) async throws(LiveError) -> StanzaAnswer {
    try await reply(.reply(to: request.element, payload), to: request.element)
  }

  /// Answers a request with an error, and waits until the server has it, as `send(_:)` does.
  ///
  /// - Parameters:
  ///   - request: A request that arrived with `stanzas()`, of a namespace that was left to the
  ///     application.
  ///   - error: The error. Without a type it is of the type `cancel`, and without a condition its
  ///     condition is `undefined-condition`.
  /// - Throws: `LiveError` as `answer`.
  @discardableResult
  public func refuse(
    _ request: ReceivedStanza, with error: StanzaError
  ) async throws(LiveError) -> StanzaAnswer {
    let element = request.element
    let refusal = XMPPElement.refusal(
      of: element.attribute("id"), from: element.attribute("from"), error)
    return try await reply(refusal, to: element)
  }

  private func reply(
    _ reply: XMPPElement, to request: XMPPElement
  ) async throws(LiveError) -> StanzaAnswer {
    if let fault = reply.faultAsXML { throw .notAStanza(fault) }
    guard let machine, machine.isOnline else { throw .failure(.notOnline) }
    guard machine.isOpen(request) else {
      throw .notAStanza("no request is open that it answers")
    }
    do throws(RequestFailure) {
      return try await self.request { $0.replied(reply, to: request) }
    } catch {
      throw error.error
    }
  }
}
