import RollcallCLI

/// The program `rollcall`. Its code is in a library, which other programs share.
@main
enum Program {
  static func main() { RollcallTool.main() }
}
