import RollcallCLI

/// The program `rollcall`. All of it is in a library, which the programs beside it use too.
@main
enum Program {
  static func main() { RollcallTool.main() }
}
