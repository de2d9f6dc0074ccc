import ArgumentParser

/// The form a command prints in.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON document, for machines.")
  var json = false

  @Flag(help: .noPager)
  var noPager = false
}

extension ArgumentHelp {
  fileprivate static let noPager: ArgumentHelp = "Write to the terminal without a pager."
}

/// The form a command prints in whose answer is a list.
struct ListOutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON document, for machines.")
  var json = false

  @Flag(help: "Print one JSON object a line, each as it is found.")
  var jsonl = false

  @Flag(help: .noPager)
  var noPager = false

  /// Whether a machine reads what is printed.
  var isForMachines: Bool { json || jsonl }

  func validate() throws {
    if json, jsonl { throw ValidationError("--json and --jsonl are two forms: choose one") }
  }

  /// The list that is printed for machines, under a key in a document.
  func list(_ key: String) -> DocumentList { DocumentList(key, isLines: jsonl) }
}
