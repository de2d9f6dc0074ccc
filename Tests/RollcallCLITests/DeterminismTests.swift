import Foundation
import TestSupport
import Testing

@Suite("Deterministic output") struct DeterminismTests {
  @Test(
    "The output depends on the capture alone",
    arguments: [
      "state CAPTURE --json", "replay CAPTURE --json", "findings CAPTURE --json",
      "sections CAPTURE", "export CAPTURE", "export CAPTURE --redact",
    ])
  func everywhere(_ command: String) throws {
    let capture = CaptureCase.fixtures.appending(path: "captures/slixmpp-fetch-60/capture.log")
    let path = capture.path(percentEncoded: false)
    let arguments = command.replacing("CAPTURE", with: "'\(path)'")
    let folder = try TemporaryFolder()
    let surroundings = [
      "", "LC_ALL=tr_TR.UTF-8 TZ=Asia/Shanghai", "LANG=C TZ=America/St_Johns COLUMNS=20",
      "SWIFT_DETERMINISTIC_HASHING=1",
    ]
    let outputs = try surroundings.map { surrounding in
      let run = try Program(
        shell: "env \(surrounding) \"$ROLLCALL\" \(arguments)", in: folder.path)
      #expect(run.code == 0, "\(surrounding): \(run.errors)")
      return run.output
    }
    #expect(!outputs[0].isEmpty)
    #expect(Set(outputs).count == 1)
  }
}
