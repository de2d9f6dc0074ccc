import ArgumentParser
import Rollcall

extension Zone: ExpressibleByArgument {
  init?(argument: String) { self.init(argument) }
}

/// How times are told.
struct ZoneOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The zone of the times that are told: UTC, local, a name such as Asia/Shanghai, or +08:00.",
      valueName: "zone"))
  var zone = Zone.utc
}
