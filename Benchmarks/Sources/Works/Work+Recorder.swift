import EventStore
import Rollcall
import RosterCore

// Work for which an application waits while it records its own stream.
extension Work {
  /// Records the presences of all available contacts in one burst, as after a login.
  static let recorder = Work(
    "record a burst of 400 presences, durable", per: "burst", goal: .nanoseconds(20e6),
    isSampled: true, isElapsed: true
  ) { subject in
    let path = subject.newPath()
    let session = try RosterSession(recordingTo: path)
    let burst = (0..<400).map { number in
      Array(
        """
        <presence from='contact\(number)@example.test/phone'><show>away</show>\
        <status>at lunch, back at two</status>\
        <c xmlns='http://jabber.org/protocol/caps' hash='sha-1' \
        node='http://example.test' ver='QgayPKawpkPSDYmwT/WM94uAlu0='/></presence>
        """.utf8)
    }
    return Trial(units: 1) {
      let before = session.roster.position
      for presence in burst { try session.received(presence, at: nil) }
      try session.flush()
      return {
        let last = try session.timeline()?.record(at: .head(minus: 0)) ?? 0
        try expect(last == before + 400, "\(last - before) records are durable")
      }
    }
  }
}
