import Captures
import TestSupport
import Testing

@Suite("Logs with a word that names the device of a stanza")
struct ConnectionWordTests {
  private static func log(_ write: (_ device: Int, _ stanza: String) -> String) -> String {
    let resources = ["phone", "pc"]
    return (0..<8).map { number in
      let device = number % 2
      let stanza =
        number < 2
        ? "SEND: <presence/>"
        : "RECV: <presence from='b@a.test/x' to='alice@a.test/\(resources[device])'/>"
      return write(device, stanza) + "\n"
    }.joined()
  }

  @Test("Each device is a connection")
  func devices() throws {
    let names = ["session-1", "session-2"]
    let logs = [
      Self.log { "\(names[$0]) \($1)" }, Self.log { "2026-11-21 10:00:00 [x \(names[$0])] \($1)" },
      Self.log { "2026-11-21T10:00:00Z main (\(names[$0])): \($1)" },
    ]
    for text in logs {
      let options = ReaderOptions(carrier: Carrier(Array(text.utf8)))
      let connections = try read(text, "slixmpp", options: options).records.map(\.connection)
      #expect(connections == (0..<8).map { names[$0 % 2] }, "\(text)")
    }
  }

  @Test("A word that differs among stanzas to a device, or is shared by devices, is ignored")
  func noDevices() throws {
    let logs = [
      Self.log { _, stanza in stanza }, Self.log { "same \($1)" },
      Self.log { "a\($1.count) \($1)" },
      Self.log { $1.hasPrefix("SEND") ? "other \($1)" : "session-\($0) \($1)" },
    ]
    for text in logs { #expect(Carrier(Array(text.utf8)).connectionWord == nil, "\(text)") }
  }
}
