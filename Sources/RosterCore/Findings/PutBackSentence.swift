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
    let edit = edit.map { "record \($0)" } ?? "an earlier record"
    guard fields == nil else { return "\(of ?? "another device") had changed that at \(edit)" }
    let shown = lostAt.map { "record \($0)" } ?? "an earlier record"
    guard self.edit != nil else {
      return "the contact had left the roster at \(shown), and no set in the log asked for that"
    }
    return "\(of ?? "another device") had removed the contact at \(edit), shown at \(shown)"
  }

  /// What does not come back with the contact.
  private func loss(_ before: RosterSubscription) -> String {
    "The subscription “\(before.rawValue)” did not come back with it: only a new request restores "
      + "that. "
  }

  private var reason: String {
    if evidence.contains(.burst) {
      return "The same device sent several sets in a row, so it probably sent an old copy of its "
        + "list; a client takes the pushes instead (RFC 6121 §2.1.6)."
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
    let given = [name?.clause, groups.isEmpty ? nil : EditFinding.Field.groups(groups).clause]
      .compactMap { $0 }.joined(separator: " and ")
    let left =
      leftGroups.isEmpty ? "" : "took it out of “\(leftGroups.joined(separator: "”, “"))” again"
    guard !given.isEmpty else {
      return "took \(contact) out of “\(leftGroups.joined(separator: "”, “"))” again"
    }
    return "gave \(contact) back \(given)" + (left.isEmpty ? "" : " and \(left)")
  }
}
