import RawBytes

// Other resources of our own account, of which recorded sessions say more than the server's
// presence does.
extension Reduction {
  /// The own resources that are not forgotten with what only the session of this record received:
  /// those of other recorded sessions that are open and show their presence.
  func resourcesOfOtherSessions() -> Set<TextNumber> {
    let others = roster.sessions.all.indices.filter { $0 != place && isShowingPresence($0) }
    let rows = roster.ownPresence.all.filter { row in
      guard let name = roster.contacts.text(row.resource) else { return false }
      return others.contains { roster.sessions[$0].resource.hasSameBytes(as: name) }
    }
    return Set(rows.map(\.resource))
  }

  /// Forgets the own resources that only these sessions were informed of, and those of the sessions
  /// themselves, if no session that could receive their end is available.
  ///
  /// - Parameter kept: The resources that stay.
  mutating func forgetOwnPresence(toldTo sessions: SessionSet, keeping kept: Set<TextNumber>) {
    let rows = roster.contacts.sorted(roster.ownPresence.all)
    let after = rows.map { row -> PresenceRow? in
      if kept.contains(row.resource) { return row }
      guard let left = row.without(sessions) else { return nil }
      return isOver(left, with: sessions) ? nil : left
    }
    roster.ownPresence = PresenceRows(after.compactMap(\.self))
    for (row, left) in zip(rows, after) { presenceShownOrHidden(of: nil, from: row, to: left) }
  }

  private func isOver(_ row: PresenceRow, with sessions: SessionSet) -> Bool {
    guard let name = roster.contacts.text(row.resource) else { return false }
    let all = roster.sessions.all.indices
    let isOwn = all.contains {
      sessions.contains(SessionSet($0)) && roster.sessions[$0].resource.hasSameBytes(as: name)
    }
    return isOwn && !all.contains { row.told.contains(SessionSet($0)) && isShowingPresence($0) }
  }

  private func isShowingPresence(_ place: Int) -> Bool {
    roster.sessions[place].phase == .open && roster.sessions[place].isAvailable
  }
}
