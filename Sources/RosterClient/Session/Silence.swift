/// The time that a server has been silent, in beats.
struct Silence: Hashable, Sendable {
  private var beats = 0
  /// The number of writes complete at the last beat, and the number of bytes left to write.
  private var written = 0
  private var unwritten = 0

  /// Data arrived from the server.
  mutating func broken() { beats = 0 }

  /// A beat has passed.
  ///
  /// A server that reads slowly answers late, so there is no silence while delayed bytes are being
  /// written. A write without delay shows nothing: the system accepts it even if the connection is
  /// gone.
  ///
  /// - Returns: Whether there have been `limit` beats of silence, so that the server has to be
  ///   asked whether it is there. A third of `limit` is left for its answer.
  mutating func elapsed(written: Int, unwritten: Int, limit: Int) -> Bool {
    let isRead =
      self.unwritten > 0 && (written > self.written || unwritten < self.unwritten)
    (self.written, self.unwritten) = (written, unwritten)
    beats = isRead ? 0 : beats + 1
    guard beats >= limit else { return false }
    beats = limit * 2 / 3
    return true
  }
}
