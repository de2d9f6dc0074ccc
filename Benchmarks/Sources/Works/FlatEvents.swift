import Floors
import RosterCore
import XMPPStanza

/// Events for the reducer in C, one for each contact that an event concerns.
final class FlatEvents {
  private(set) var all: [floors_event] = []
  /// The number of events that they were made from.
  let sources: Int
  private let arena = Arena()

  init(_ events: [RosterEvent]) {
    sources = events.count
    for case .stanza(let event) in events { add(event) }
  }

  private func add(_ event: StanzaEvent) {
    switch event {
    case .pushReceived(let push):
      // Leave out pushes from strangers, because the reducer in C does not check the sender.
      if push.peer == nil || push.peer?.bare.text == "alice@example.test" { add(push.query) }
    case .answerReceived(let answer):
      if case .roster(let query) = answer.payload { add(query) } else { add(floors_nothing) }
    case .availableReceived(let from, let availability):
      add(floors_available, from.bare, UInt32(bitPattern: Int32(availability.priority)) | 1 << 16)
    case .unavailableReceived(let from, _): add(floors_unavailable, from.bare)
    case .subscriptionReceived(let stanza):
      add(stanza.kind == .subscribe ? floors_request : floors_request_end, stanza.contact)
    case .subscriptionSent(let stanza): add(floors_request_end, stanza.contact)
    case .querySent, .setSent, .answerSent, .presenceSent, .blocked, .unblocked, .blockingSent,
      .presenceErrorReceived,
      .nicknamePublished, .vCardPublished, .rejected:
      add(floors_nothing)
    }
  }

  private func add(_ query: RosterQuery) {
    for item in query.items {
      switch item.change {
      case .set(let item):
        let fields = UInt8(item.groups.count & 0x3F) << 2 | (item.isPending ? 1 : 0)
        add(floors_set, item.jid, UInt32(item.name?.utf8.count ?? 0), fields)
      case .remove(let jid): add(floors_remove, jid)
      }
    }
  }

  private func add(
    _ kind: floors_kind, _ jid: BareJID? = nil, _ value: UInt32 = 0, _ fields: UInt8 = 0
  ) {
    let address = jid.map { Array($0.text.utf8) } ?? []
    all.append(
      floors_event(
        address: address.isEmpty ? nil : arena.copy(address), address_count: UInt16(address.count),
        kind: kind, fields: fields, value: value))
  }
}
