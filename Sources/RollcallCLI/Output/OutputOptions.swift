import ArgumentParser

/// The form a command prints in.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON document, for machines.")
  var json = false
}
