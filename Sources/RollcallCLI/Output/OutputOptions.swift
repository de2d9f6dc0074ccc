import ArgumentParser

/// The options for the form of a command's output.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON document, for machines.")
  var json = false

  @Flag(help: .noPager)
  var noPager = false
}

extension ArgumentHelp {
  fileprivate static let noPager: ArgumentHelp = "Write to the terminal without a pager."
}

/// The options for the form of the output of a command that prints a list.
struct ListOutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON document, for machines.")
  var json = false

  @Flag(help: "Print one JSON object per line, each as it is found.")
  var jsonl = false

  @Flag(help: .noPager)
  var noPager = false

  /// Whether the output is for machines.
  var isForMachines: Bool { json || jsonl }

  func validate() throws {
    if json, jsonl { throw ValidationError("--json and --jsonl are two forms: choose one") }
  }

  /// The list to print for machines, under a key of the document.
  func list(_ key: String) -> DocumentList { DocumentList(key, isLines: jsonl) }
}
