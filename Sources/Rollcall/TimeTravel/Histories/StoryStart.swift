import RosterCore
import XMPPStanza

/// The records before the first one that can change anything of a contact, as far as they decide
/// from which state its story can be told.
struct StoryStart {
  /// The first record that can change something of the contact, or give rise to a finding about it;
  /// the record after the last one if there is none.
  private(set) var first: UInt64
  /// The records before it that bound a session, and those that answered with a whole roster.
  private var bindings: [UInt64] = []
  private var rosters: [UInt64] = []
  /// The first record before it that changed the block list.
  private var firstBlocking: UInt64?

  /// Finds where the story of a contact begins in the records up to `last`.
  ///
  /// - Parameter named: The records that name the contact. What is said of a stream names accounts
  ///   too, and is not among them.
  ///
  /// Complexity: linear in the events before the story, none of which is reduced.
  init(of contact: BareJID, named: Set<UInt64>, in timeline: Timeline, upTo last: UInt64) throws {
    first = named.min() ?? last + 1
    guard first > 1 else { return }
    var start = self
    try timeline.forEachStep(in: 1...(first - 1)) { step in
      guard step.stamp.record < start.first else { return }
      switch try step.mark {
      case .session(let accounts, let isBinding):
        if accounts.contains(contact) {
          start.first = step.stamp.record
        } else if isBinding {
          start.bindings.append(step.stamp.record)
        }
      case .roster: start.rosters.append(step.stamp.record)
      case .blocking: start.firstBlocking = start.firstBlocking ?? step.stamp.record
      case nil: break
      }
    }
    self = start
  }

  /// The record that binds the session in which the story begins, if everything that an explanation
  /// needs of the time before the story follows it: the roster of the session, and the block list.
  var binding: UInt64? {
    guard let roster = rosters.last, let binding = bindings.last(where: { $0 < roster }),
      firstBlocking.map({ binding < $0 }) ?? true
    else { return nil }
    return binding
  }
}
