import ArgumentParser
import Rollcall
import XMPPStanza

/// The conditions that need no shell command.
struct ConditionOptions: ParsableArguments {
  @Option(help: "The contact, named \(contactHelp), is not in the roster.")
  var missing: String?

  @Option(help: "The contact is a friend: each sees the other's presence.")
  var friend: String?

  @Option(help: "A request to or from the contact is pending.")
  var pending: String?

  @Option(help: "The contact has this name in the roster: CONTACT=TEXT, or CONTACT= for none.")
  var name: String?

  @Option(help: "How many friends there are: '<10', '>=3', '5' and the like.")
  var countFriends: String?

  /// The number of requested conditions.
  var count: Int { [missing, friend, pending, name, countFriends].count { $0 != nil } }

  /// The requested condition; nil if there is none.
  func condition(in source: OpenedSource) throws -> RosterCondition? {
    if let missing { return .missing(try source.contact(missing)) }
    if let friend { return .friend(try source.contact(friend)) }
    if let pending { return .pending(try source.contact(pending)) }
    if let name {
      let parts = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw Failure("--name “\(name)” is not CONTACT=TEXT") }
      let text = parts[1].isEmpty ? nil : String(parts[1])
      return .name(try source.contact(String(parts[0])), text)
    }
    if let countFriends {
      guard let condition = RosterCondition.friendCount(countFriends) else {
        throw Failure("--count-friends “\(countFriends)” is not a comparison such as '<10'")
      }
      return condition
    }
    return nil
  }
}
