import Captures
import TestSupport
import Testing
import XMPPStanza

@Suite("Versions of ejabberd's log")
struct EjabberdVersionTests {
  static let versions: [(name: String, write: @Sendable (_ isInbound: Bool, String) -> String)] = [
    (
      "one process a connection",
      {
        "2026-11-21 07:25:14.147 [debug] <0.512.0>@xmpp_socket:send/2:170 (tcp|<0.512.0>) "
          + "\($0 ? "Send" : "Received") XML on stream = <<\"\($1)\">>"
      }
    ),
    (
      "a receiver and a session",
      {
        let source =
          $0
          ? "<0.473.0>@ejabberd_c2s:send_text:1857" : "<0.472.0>@ejabberd_receiver:process_data:284"
        return
          "2016-06-24 18:11:16.085 [debug] \(source) \($0 ? "Send" : "Received") XML on stream = "
          + "<<\"\($1)\">>"
      }
    ),
    (
      "the console",
      { "21:20:40.101 [debug] \($0 ? "Send" : "Received") XML on stream = <<\"\($1)\">>" }
    ),
    (
      "version 2, with strings",
      {
        let source = $0 ? "D(<0.337.0>:ejabberd_c2s:1557)" : "D(<0.336.0>:ejabberd_receiver:310)"
        return "\(source) : \($0 ? "Send" : "Received") XML on stream = \"\($1)\""
      }
    ),
    (
      "MongooseIM, with strings",
      {
        "2021-03-05 08:05:06.123 [debug] <0.512.0>@mongoose_transport:send:12 "
          + "\($0 ? "Send" : "Received") XML on stream = \"\($1)\""
      }
    ),
  ]

  @Test("Each version's log of a session is read, as one connection", arguments: versions.indices)
  func theSameSession(_ index: Int) throws {
    let (name, write) = Self.versions[index]
    let text = DirectionCheckTests.session.map { line in
      write(line.hasPrefix("<"), String(line.dropFirst(2)).replacing("\"", with: "\\\"")) + "\n"
    }.joined()
    #expect(CaptureFormat.detect(Array(text.utf8))?.id == "ejabberd", "\(name)")
    let reading = try read(text, "ejabberd")
    #expect(reading.elements == DirectionCheckTests.session, "\(name)")
    #expect(reading.problems.isEmpty)
    #expect(Set(reading.records.map(\.connection)).count == 1, "\(name)")
  }
}
