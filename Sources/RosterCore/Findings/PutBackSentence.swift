import XMPPStanza

extension PutBack {
  /// What was put back, who had changed it, and why that may be a mistake.
  func sentence(about words: Finding.Words) -> String {
    let subject = words.device ?? "This client"
    let what =
      fields.map { "\($0.clause(about: words.somebody)), by the set of \(words.cause)" }
      ?? "added \(words.somebody) again by the set of \(words.cause), as the contact was before"
    return "\(subject) \(what): \(past). " + (before.map(loss) ?? "") + rounds(of: words) + reason
  }

  /// How often something was put back; empty for once.
  private func rounds(of words: Finding.Words) -> String {
    guard words.extent != nil else { return "" }
    let sets = "That was the first of \(words.cases("such sets"))"
    return sets
      + (rival.map { ": \(words.subject) and \($0) undo each other's changes. " } ?? ". ")
  }

  /// What had happened before.
  private var past: String {
    let other = of ?? "another device"
    let edit = edit.map { "record \($0)" }
    guard fields == nil else {
      return "\(other) had changed that at \(edit ?? "an earlier record")"
    }
    let shown = lostAt.map { "record \($0)" } ?? "an earlier record"
    guard let edit else {
      return "it had left the roster at \(shown), and no set in the log asked for that"
    }
    return "\(other) had removed it at \(edit), which the server showed at \(shown)"
  }

  /// What does not come back with the contact.
  private func loss(_ before: RosterSubscription) -> String {
    "The subscription “\(before.rawValue)” is not restored: that takes a new request. "
  }

  private var reason: String {
    if evidence.contains(.rounds) {
      return "People would have stopped by then, so at least one of the clients probably sends its "
        + "own copy again instead of taking the pushes (RFC 6121 §2.1.6)."
    }
    if evidence.contains(.burst) {
      return "It sent several sets in a row, so it probably works from an old copy of its list "
        + "instead of the pushes (RFC 6121 §2.1.6)."
    }
    if evidence.contains(.afterLogin) {
      return "That was within two seconds after the roster arrived, so the client probably keeps "
        + "a list of its own. This is a guess."
    }
    if evidence.contains(.bothFields) {
      return "Name and groups are both as they were, so the set was probably made from an old "
        + "copy of the contact. This is a guess."
    }
    return "Either its user wanted that, or the set was made from an old copy of the contact."
  }
}

extension RestoredFields {
  /// What exactly was put back.
  fileprivate func clause(about contact: String) -> String {
    var given: [String] = []
    var clauses: [String] = []
    if case .name(let name)? = name {
      if let name {
        given.append("the name “\(name)”")
      } else {
        clauses.append("removed the name of \(contact) again")
      }
    }
    if !groups.isEmpty { given.append(EditFinding.Field.groups(groups).clause) }
    if !given.isEmpty {
      clauses.append("gave \(contact) back \(given.joined(separator: " and "))")
    }
    if !leftGroups.isEmpty {
      let subject = clauses.isEmpty ? contact : "it"
      clauses.append("took \(subject) out of “\(leftGroups.joined(separator: "”, “"))” again")
    }
    return clauses.joined(separator: " and ")
  }
}
