import ArgumentParser
package import Rollcall

extension Zone: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}

/// The zone in which times are printed.
package struct ZoneOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The zone of the printed times: UTC, local, a name such as Asia/Shanghai, or +08:00.",
      valueName: "zone"))
  package var zone = Zone.utc

  package init() {}
}
