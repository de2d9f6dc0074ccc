import Captures
import TestSupport
import Testing
import XMPPStanza

/// However lines are broken, each line on which an element of a stream begins is a record, is named
/// by a problem, or is counted.
///
/// `ROLLCALL_SEEDS` sets other seeds; `tools/attack pasted` tries many.
@Suite("Broken lines, counted")
struct BrokenLineTests {
  static let seeds = Seeds.chosen(or: 1...60)

  @Test("No line with an element is skipped silently")
  func noLineIsSilent() throws {
    var failed: [String] = []
    var refused = 0
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let session = CarriedSession(seed: seed)
      let lines = session.lines.map { Self.broken($0, &random) }
      var read: Set<Int> = []
      var reader = CaptureReader(format: try #require(CaptureFormat.named(session.format)))
      func note(_ output: CaptureOutput) {
        switch output {
        case .record(let record): read.insert(record.line)
        case .problem(let problem): read.insert(problem.line)
        }
      }
      do {
        try reader.read(Array(lines.map { "\($0)\n" }.joined().utf8), note)
        try reader.finish(note)
      } catch is CaptureError {
        // The remaining lines may not show whether the words are a client's or a server's, or may
        // show both.
        refused += 1
        continue
      }
      let unread = reader.unread
      let missed = lines.indices.filter { Self.holdsElement(lines[$0]) && !read.contains($0 + 1) }
      guard unread.count != missed.count || unread.first != missed.first.map({ $0 + 1 }) else {
        continue
      }
      failed.append(
        "seed \(seed): \(session.format): \(missed.map { $0 + 1 }) but \(unread.count) counted, "
          + "the first on \(unread.first ?? 0)")
    }
    #expect(failed.isEmpty, "\(failed.joined(separator: "\n"))")
    #expect(refused * 4 < Self.seeds.count)
  }

  /// Whether enough of an element is left on a line to recognize one of a stream: the name of a
  /// stanza, the prefix of streams, or a name of a login, of Stream Management or of features with
  /// the beginning of an XMPP namespace. Nothing in the sessions is escaped.
  private static func holdsElement(_ line: String) -> Bool {
    if line.contains(/<(iq|message|presence)([\s\/>]|$)|<stream:/) { return true }
    let spaces = ["http://etherx.jabber.org/streams", "urn:ietf:params:xml:ns:xmpp-", "urn:xmpp:"]
    let names = /<(features|auth|challenge|response|success|failure|enable|enabled|r|a)\s/
    return line.matches(of: names).contains { name in
      let tag = line[name.range.upperBound...].prefix { $0 != ">" }
      return spaces.contains { tag.contains("xmlns='\($0)") || tag.contains("xmlns=\"\($0)") }
    }
  }

  /// The line unchanged, without the text before its element, cut off, or with a wrong tag.
  private static func broken(_ line: String, _ random: inout SeededGenerator) -> String {
    let start = line.firstIndex(of: "<") ?? line.endIndex
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return "somebody's own words: \(line[start...])"
    case 1: return String(line[start...])
    case 2: return "\(line[..<start].filter { $0 != " " && $0 != "\t" })\(line[start...])"
    case 3:
      let count = line[start...].count
      return String(line.dropLast(Int.random(in: 1..<max(2, count), using: &random)))
    case 4: return line.replacing("</", with: "<", maxReplacements: 1)
    default: return line
    }
  }

  // MARK: Counts of bytes

  private static let counting: [(format: String, write: @Sendable (Bool, String, Int) -> String)] =
    [
      (
        "libpurple",
        { isInbound, xml, count in
          isInbound
            ? "(07:19:12) jabber: Recv (ssl)(\(count)): \(xml)\n"
            : "(07:19:12) jabber: Sending (ssl) (alice@example.test/pc): \(xml)\n"
        }
      ),
      (
        "prosody-raw",
        { isInbound, xml, count in
          "Nov 21 07:19:12 c2s55d\tdebug\t\(isInbound ? "SEND" : "RECV")(\(count)): \(xml)\n"
        }
      ),
    ]

  @Test("Wrong byte counts lose no record, wherever they are")
  func wrongCounts() throws {
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let program = Self.counting[Int(seed % 2)]
      let session = CarriedSession.sessions[Int(seed) % CarriedSession.sessions.count]
      let elements = session.elements.prefix(40)
      func log(_ errors: Bool) -> String {
        elements.map { element in
          let xml = String(element.dropFirst(2))
          let isWrong = errors && Int.random(in: 0..<4, using: &random) == 0
          let error = isWrong ? Int.random(in: -60...400, using: &random) : 0
          return program.write(element.hasPrefix("<"), xml, max(1, xml.utf8.count + error))
        }.joined()
      }
      let right = try read(log(false), program.format)
      #expect(right.elements.count == elements.count, "seed \(seed): \(session.name)")
      let wrong = try read(log(true), program.format)
      #expect(wrong.elements == right.elements, "seed \(seed): \(session.name), \(program.format)")
    }
  }
}
