import Rollcall
import RosterClient
import RosterCore
import XMPPStanza

extension RosterCommand {
  /// What the command has done, once the server has it, as a sentence about the stanzas that were
  /// sent for it.
  func reply(sending stanzas: [XMPPElement]) -> String {
    let types = stanzas.compactMap { $0.name.local == "presence" ? $0.attribute("type") : nil }
    let asks = types.contains("subscribe")
    switch self {
    case .fetch: return "the roster is up to date"
    case .add(let jid, _, _, _, subscribes: false): return "\(jid) is in your roster"
    case .add(let jid, _, _, _, subscribes: true):
      let accepts = types.contains("subscribed") ? "\(jid) sees your presence; " : ""
      return accepts + (asks ? "asked to see the presence of \(jid)" : "\(jid) is in your roster")
    case .accept(let jid):
      return "\(jid) sees your presence" + (asks ? "; asked to see theirs" : "")
    case .reject(let jid): return "refused the request of \(jid)"
    case .cancel(let jid): return "withdrew your request to \(jid)"
    case .unsubscribe(let jid): return "you no longer see the presence of \(jid)"
    case .revoke(let jid): return "\(jid) no longer sees your presence"
    case .remove(let jid): return "removed \(jid)"
    case .rename(let jid, let name?): return "\(jid) is now “\(name)”"
    case .rename(let jid, nil): return "\(jid) has no name now"
    case .setGroups(let jid, let groups):
      return groups.isEmpty
        ? "\(jid) is in no group now" : "\(jid) is in \(groups.joined(separator: ", ")) now"
    case .regroup, .renameGroup, .deleteGroup: return "changed the groups"
    case .preApprove(let jid): return "a request of \(jid) will be accepted"
    case .block(let jid): return "blocked \(jid)"
    case .unblock(let jid): return "unblocked \(jid)"
    }
  }
}

extension StanzaAnswer {
  /// A sentence about something that was sent, which says whether the server has confirmed it.
  func reply(_ done: String) -> String {
    switch self {
    case .result, .acknowledged: done
    case .written: "\(done); the server confirms nothing"
    }
  }
}

extension Roster {
  /// Who is online, one line each: the name, the address, and the best device.
  var whoIsOnline: [String] {
    sortedItems.compactMap { item in
      guard let best = presence(of: item.jid).best else { return nil }
      let name = displayName(of: item.jid)
      let address = name == item.jid.text ? "" : " \(item.jid)"
      return "\(name)\(address): \(best.presence.words(on: best.resource))"
    }
  }

  /// The devices of a contact, one line each.
  func devices(of jid: BareJID) -> [String] {
    presence(of: jid).resources.map { $0.value.words(on: $0.key) }
  }
}

extension ResourcePresence {
  fileprivate func words(on resource: String) -> String {
    let device = resource.isEmpty ? "" : " (\(resource))"
    return "\(availability.clause)\(device), since #\(since.record)"
  }
}
