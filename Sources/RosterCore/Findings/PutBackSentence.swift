import XMPPStanza

extension PutBack {
  /// What was put back, who had changed it, and why that may be a mistake.
  ///
  /// - Parameters:
  ///   - contact: The contact that it is about.
  ///   - set: The record of the set.
  ///   - device: The device that put it back; nil if there is only one.
  func sentence(about contact: String, set: String, by device: String?) -> String {
    let subject = device ?? "This client"
    let what =
      fields.map { "\($0.clause(about: contact)), by the set of \(set)" }
      ?? "added \(contact) again by the set of \(set), as the contact was before"
    return "\(subject) \(what): \(past). " + (before.map(loss) ?? "") + reason
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
