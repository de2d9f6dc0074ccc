import Rollcall
import XMPPStanza

// Accounts (XEP-0077): creating one before the login, and changing its password in a session.
extension ClientMachine {
  mutating func beginRegistration(
    _ features: XMPPElement, _ serverEndPoint: [UInt8]?
  ) -> [ClientAction] {
    let id = nextID()
    enter(
      .registrationForm(
        Registration(features: features, serverEndPoint: serverEndPoint, id: id)))
    return [
      send(
        .request(
          "get", id: id, to: login.account.domain, .element("query", Namespace.register)))
    ]
  }

  mutating func registrationFormReceived(
    _ node: XMPPElement, _ registration: Registration
  ) -> ClientResult {
    guard node.answers(registration.id) else {
      return violation("<\(node.name.local)/> during the registration")
    }
    guard node.attribute("type") == "result",
      let query = node.child("query", in: Namespace.register)
    else { return .actions(breakOff(.registrationNotOffered, "not-authorized")) }
    let known = ["username", "password", "registered", "instructions"]
    let fields = query.children.filter { $0.name.namespace == Namespace.register }
    let others = fields.map(\.name.local).filter { !known.contains($0) }
    guard others.isEmpty, fields.contains(where: { $0.name.local == "password" }) else {
      // A form, a picture to read, or a page to visit.
      let words = query.child("instructions", in: Namespace.register)?.text
      return .actions(
        breakOff(
          .registrationNeedsMore(others.isEmpty ? [words ?? "a form"] : others), "not-authorized"))
    }
    var registration = registration
    registration.id = nextID()
    enter(.registration(registration))
    return .actions([send(accountQuery(registration.id, login.password))])
  }

  mutating func registrationAnswered(
    _ node: XMPPElement, _ registration: Registration
  ) -> ClientResult {
    guard node.answers(registration.id) else {
      return violation("<\(node.name.local)/> during the registration")
    }
    guard node.attribute("type") == "result" else {
      let (condition, text) = node.stanzaError
      return .actions(
        breakOff(.registrationRefused(condition: condition, text: text), "not-authorized"))
    }
    return .actions(authenticate(registration.features, registration.serverEndPoint))
  }

  /// The user wants another password.
  ///
  /// - Returns: The name that `answered` will use.
  package mutating func passwordChanged(
    to password: Password
  ) -> (name: String, result: ClientResult) {
    request(.password) { machine, id in machine.accountQuery(id, password) }
  }

  private func accountQuery(_ id: String, _ password: Password) -> XMPPElement {
    password.withText { text in
      .request(
        "set", id: id, to: login.account.domain,
        .element(
          "query", Namespace.register, [],
          [
            .element("username", Namespace.register, text: login.account.local ?? ""),
            .element("password", Namespace.register, text: text),
          ]))
    }
  }
}
