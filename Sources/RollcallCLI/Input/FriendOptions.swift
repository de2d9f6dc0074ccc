public import ArgumentParser
public import ContactSections

/// Which contacts a command counts as friends.
struct FriendOptions: ParsableArguments {
  @Option(
    help: "Who is a friend: mutual (both), subscribed (both, to or from), or all contacts.")
  var friends = SectionPolicy.Friends.mutual
}

extension SectionPolicy.Friends: ExpressibleByArgument {}

extension SectionPolicy.Grouping: ExpressibleByArgument {}
