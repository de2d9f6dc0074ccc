import Rollcall
import RollcallTesting

/// A session that fetches its roster from a server without a network.
func fetchSamples(_ session: RosterSession, of bob: RosterItem) throws {
  let server = SampleServer(items: [bob])
  let clock = SampleClock(step: .seconds(1))
  for element in try session.decide(.fetch).elements {
    try session.sent(element.bytes, at: clock.now())
    server.received(element.bytes)
  }
  for bytes in server.takeAnswers() { try session.received(bytes, at: clock.now()) }
}
