package import RosterCore
import XMPPStanza

extension FieldDifference {
  /// Whether something came, went, or became different: the mark in front of its line.
  package var mark: String {
    switch change {
    case .item(before: nil, _), .request(before: nil, _), .presence(_, before: nil, _),
      .ownPresence(_, before: nil, _), .outgoing(before: false, _), .blocked(_, before: false, _),
      .annotation(.starred(true)), .annotation(.reading(before: nil, _)),
      .annotation(.note(before: nil, _)):
      "+"
    case .item(_, after: nil), .request(_, after: nil), .presence(_, _, after: nil),
      .ownPresence(_, _, after: nil), .outgoing(before: true, _), .blocked(_, before: true, _),
      .annotation(.starred(false)), .annotation(.reading(_, after: nil)),
      .annotation(.note(_, after: nil)):
      "-"
    case .account, .connected, .completeness, .version, .item, .itemField, .request, .presence,
      .ownPresence, .nickname, .vCard, .annotation:
      "~"
    }
  }

  /// What is different, in a clause.
  package var clause: String {
    switch change {
    case .account(let before, let after):
      "account \(before?.text ?? "unknown") → \(after?.text ?? "unknown")"
    case .connected(_, let after): after ? "connected" : "not connected"
    case .completeness(_, .complete): "the whole roster is known"
    case .completeness(.complete, _): "the whole roster is not known"
    case .completeness(_, .neverFetched):
      "the whole roster is known in neither; in the second no roster get has been answered by one"
    case .completeness(_, .baseUnknown):
      "the whole roster is known in neither; in the second the server has said that nothing "
        + "changed since a version that is not in the log"
    case .version(let before, let after): "roster version \(quoted(before)) → \(quoted(after))"
    case .ownPresence(let resource, let before, let after):
      "our other resource \(resource) \(arrow(before?.clause, after?.clause))"
    case .item(let before, let after): (after ?? before)?.clause ?? ""
    case .itemField(let field): field.clause
    case .request(let before, let after): request(before, after)
    case .outgoing: "our request for its presence"
    case .presence(let resource, let before, let after):
      "\(resource.isEmpty ? "presence" : resource) \(arrow(before?.clause, after?.clause))"
    case .blocked(let jid, _, _): "blocked: \(jid)"
    case .nickname(let before, let after): "nickname \(quoted(before)) → \(quoted(after))"
    case .vCard(let before, let after):
      "vCard \(quoted(before?.nickname ?? before?.fullName)) → "
        + quoted(after?.nickname ?? after?.fullName)
    case .annotation(let field): field.clause
    }
  }

  private func request(_ before: ShownRequest?, _ after: ShownRequest?) -> String {
    let doubt = after?.isConfirmed == false ? ", not confirmed in this session" : ""
    let seen = after?.isSeen == true ? ", seen" : ""
    return "its request for our presence" + ((after ?? before)?.words ?? "") + doubt + seen
  }

  private func arrow(_ before: String?, _ after: String?) -> String {
    "\(before ?? "offline") → \(after ?? "offline")"
  }
}

extension FieldDifference.ShownRequest {
  fileprivate var words: String {
    (nickname.map { " as “\($0)”" } ?? "") + (status.map { ": “\($0)”" } ?? "")
  }
}
