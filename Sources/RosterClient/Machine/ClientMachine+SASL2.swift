import Captures
import Rollcall
import XMPPStanza

// SASL 2, with the binding or the resumption that it can include (XEP-0388, XEP-0386, XEP-0198 §6).
extension ClientMachine {
  /// The requests that the server carries out as part of the login.
  func inlineRequests(_ offered: XMPPElement?) -> [XMPPElement] {
    guard let offered else { return [] }
    var requests: [XMPPElement] = []
    if offered.child("sm", in: Namespace.streamManagement) != nil, let session = login.resumption {
      requests.append(.resume(session))
    }
    guard let bind = offered.child("bind", in: Namespace.bind2) else { return requests }
    let features = bind.child("inline", in: Namespace.bind2)?.children
    let counts = features?.contains { $0.attribute("var") == Namespace.streamManagement } ?? false
    let tag = XMPPElement.element(
      "tag", Namespace.bind2, text: login.resource ?? "Rollcall")
    requests.append(
      .element("bind", Namespace.bind2, [], [tag] + (counts ? [.enable()] : [])))
    return requests
  }

  mutating func sasl2Received(_ node: XMPPElement, _ exchange: SASLExchange) -> ClientResult {
    var exchange = exchange
    do throws(SASLFailure) {
      if node.is("challenge", in: Namespace.sasl2) {
        let step = try exchange.challenged(node.base64())
        enter(.sasl2(exchange))
        return .actions([follow(step)])
      }
      if node.is("success", in: Namespace.sasl2) {
        try exchange.succeeded(node.child("additional-data", in: Namespace.sasl2)?.base64())
        return [.note(.authenticated(mechanism: exchange.mechanism.rawValue))]
          + sasl2Succeeded(node)
      }
    } catch {
      return .actions(distrust(error))
    }
    if node.is("continue", in: Namespace.sasl2) {
      // A second factor, for example, which this client does not support.
      let tasks = node.child("tasks", in: Namespace.sasl2)?.children.map(\.text) ?? []
      return .actions(
        [send(.element("abort", Namespace.sasl2))]
          + breakOff(
            .notAuthorized(
              condition: "continue", text: "it also wants " + tasks.joined(separator: ", ")),
            "not-authorized"))
    }
    guard node.is("failure", in: Namespace.sasl2) else {
      return violation("<\(node.name.local)/> during the login")
    }
    return .actions(refused(node))
  }

  private mutating func sasl2Succeeded(_ node: XMPPElement) -> ClientResult {
    guard let jid = LoginResult(node)?.jid, jid.bare == login.account else {
      return violation("it logged in another account than the one that was asked for")
    }
    // If no resource is bound, new features follow (XEP-0388 §2.6).
    enter(.features(.authenticated))
    if let resumed = node.child("resumed", in: Namespace.streamManagement) {
      return sessionResumed(resumed)
    }
    guard let bound = node.child("bound", in: Namespace.bind2) else { return .actions([]) }
    guard let resource = jid.resource else { return violation("it bound no resource") }
    var session = Session(resource: resource)
    if let enabled = bound.child("enabled", in: Namespace.streamManagement) {
      session.enabled(by: enabled)
    }
    enter(.boundFeatures(session))
    return .actions([])
  }
}
