import ArgumentParser
import Rollcall
import XMPPStanza

/// The conditions that need no command.
struct ConditionOptions: ParsableArguments {
  @Option(help: "The contact is not in the roster.")
  var missing: String?

  @Option(help: "The contact is a friend: each sees the other's presence.")
  var friend: String?

  @Option(help: "A request to or from the contact is pending.")
  var pending: String?

  @Option(help: "The contact has this name in the roster: JID=TEXT, or JID= for none.")
  var name: String?

  @Option(help: "How many friends there are: '<10', '>=3', '5' and the like.")
  var countFriends: String?

  /// The one condition that is asked for, nil where it is none.
  func condition() throws -> RosterCondition? {
    var conditions: [RosterCondition] = []
    if let missing { conditions.append(.missing(try BareJID(argument: missing))) }
    if let friend { conditions.append(.friend(try BareJID(argument: friend))) }
    if let pending { conditions.append(.pending(try BareJID(argument: pending))) }
    if let name {
      let parts = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw Failure("--name “\(name)” is not JID=TEXT") }
      let text = parts[1].isEmpty ? nil : String(parts[1])
      conditions.append(.name(try BareJID(argument: String(parts[0])), text))
    }
    if let countFriends {
      guard let condition = RosterCondition.friendCount(countFriends) else {
        throw Failure("--count-friends “\(countFriends)” is no comparison such as '<10'")
      }
      conditions.append(condition)
    }
    guard conditions.count < 2 else { throw Failure("only one condition can be searched for") }
    return conditions.first
  }
}
