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
      isOfContact
      ? "added \(contact) again by the set of \(set), as the contact was before"
      : "gave \(contact) back the name and groups of before, by the set of \(set)"
    return "\(subject) \(what): \(past). " + (before.map(loss) ?? "") + reason
  }

  /// What had happened before.
  private var past: String {
    let edit = edit.map { "record \($0)" } ?? "an earlier record"
    guard isOfContact else { return "\(of ?? "another device") had changed them at \(edit)" }
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
