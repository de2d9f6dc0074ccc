import SessionCore
import Testing
import XMPPStanza

@Suite("Streams and records")
struct StreamTests {
  @Test("Each direction of a stream ends for itself (RFC 6120 §4.4)")
  func ends() {
    var ends = StreamEnds()
    #expect(!ends.isAny)
    ends[.outbound] = StreamEnd(record: 7)
    #expect(ends.isAny)
    #expect(ends.ours == StreamEnd(record: 7) && ends.server == nil)
    ends[.inbound] = StreamEnd(record: 8)
    #expect(ends.ours?.record == 7 && ends.server?.record == 8)
    ends[.outbound] = nil
    #expect(ends.ours == nil && ends.isAny)
  }

  @Test("A position is a record of a connection")
  func position() {
    var position = RecordPosition(record: 3, time: 40)
    #expect(position.connection == .first)
    #expect(position.stamp == RecordStamp(record: 3, time: 40))
    position.time = nil
    #expect(position.stamp == RecordStamp(record: 3))
    #expect(position != RecordPosition(record: 3, connection: 2))
  }

  @Test("Connections are ordered by number")
  func connections() {
    #expect(ConnectionID.first < ConnectionID(number: 2))
    #expect(ConnectionID(number: 9) < ConnectionID(number: 10))
  }
}
