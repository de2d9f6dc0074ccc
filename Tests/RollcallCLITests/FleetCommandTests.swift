import Foundation
import TestSupport
import Testing

@Suite("The modules for servers") struct FleetCommandTests {
  private static let modules = CaptureCase.fixtures.deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/RollcallCLI/Taps")

  @Test(
    "A module is printed as it is in the sources, with how to install it",
    arguments: [
      ("prosody", "mod_rollcall_tap.lua"), ("ejabberd", "mod_rollcall_tap.erl"),
    ])
  func module(_ server: String, _ file: String) throws {
    let source = try String(contentsOf: Self.modules.appending(path: file), encoding: .utf8)
    let run = try Program("fleet", "tap", server)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output == source, "run tools/embed")
    let head = source.split(separator: "\n").prefix(10).joined(separator: "\n")
    #expect(head.contains("rollcall fleet tap \(server) >"))
    #expect(head.contains("rollcall import "))
  }

  @Test("An unknown server is refused, with those that have a module")
  func unknown() throws {
    for arguments in [["openfire"], ["Prosody"], [], ["prosody", "ejabberd"]] {
      let run = try Program(["fleet", "tap"] + arguments)
      #expect(run.code == 2, "\(arguments)")
      #expect(run.output.isEmpty, "\(arguments)")
    }
    let errors = try Program("fleet", "tap", "openfire").errors
    #expect(errors.contains("'prosody'") && errors.contains("'ejabberd'"), "\(errors)")
  }
}
