package import RosterCore
import XMPPStanza

/// The name and groups of a contact at a server.
package struct KeptItem: Hashable, CustomStringConvertible, Sendable {
  package var name: String?
  package var groups: Set<String>

  package init(name: String? = nil, groups: Set<String> = []) {
    (self.name, self.groups) = (name, groups)
  }

  package var description: String { "\(name ?? "-") \(groups.sorted())" }
}

/// The items that commands have changed, so that a test can recognize unrelated changes.
package struct TouchedItems: Sendable {
  private var named: Set<String> = []
  private var grouped: Set<String> = []
  private var removed: Set<String> = []
  /// Groups that were renamed or deleted, for all contacts.
  private var groups: Set<String> = []

  package init() {}

  /// Records a command that was sent.
  package mutating func sent(_ command: RosterCommand) {
    switch command {
    case .add(let jid, let name, let groups, _, _):
      if name != nil { named.insert(jid.text) }
      if !groups.isEmpty { grouped.insert(jid.text) }
    case .rename(let jid, _): named.insert(jid.text)
    case .setGroups(let jid, _): grouped.insert(jid.text)
    case .regroup(let groups): grouped.formUnion(groups.keys.map(\.text))
    case .remove(let jid): removed.insert(jid.text)
    case .renameGroup(let group, _), .deleteGroup(let group): groups.insert(group)
    case .fetch, .accept, .reject, .cancel, .unsubscribe, .revoke, .preApprove, .block, .unblock:
      break
    }
  }

  /// The names and groups that the server lost although no command changed them.
  package func lost(from before: [String: KeptItem], in now: [String: KeptItem]) -> [String] {
    before.sorted { $0.key < $1.key }.flatMap { jid, before -> [String] in
      guard !removed.contains(jid) else { return [] }
      guard let now = now[jid] else { return ["\(jid) is gone"] }
      var lost: [String] = []
      if !named.contains(jid), now.name != before.name {
        lost.append("\(jid) is named \(now.name ?? "-")")
      }
      if !grouped.contains(jid) {
        lost += before.groups.subtracting(groups).subtracting(now.groups).sorted()
          .map { "\(jid) is not in \($0)" }
      }
      return lost
    }
  }
}
