/// One upload over a connection: a PUT of the file and its answer (XEP-0363 §6, RFC 9110 §9.3.4).
///
/// The inputs are methods in the past tense; each returns the actions to carry out, in order. A
/// value without I/O and clock.
struct UploadExchange: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    /// Send the request without its content.
    case sendHead
    /// Send these bytes of the file, and report with `written` that they were written.
    case send(Range<Int>)
    /// End the request.
    case sendEnd
    /// Close the connection; nil if the host has taken the file.
    case finish(UploadFailure?)
  }

  /// What the upload waits for.
  private enum State: Hashable, Sendable {
    /// TLS, and the check of the certificate.
    case opening
    /// The bytes before this one to be written.
    case sending(until: Int)
    /// The answer.
    case sent
    /// Nothing.
    case over
  }

  private let host: String
  private let size: Int
  private var state = State.opening

  /// The number of bytes that are written at once: each write shows that the host still reads.
  static let piece = 64 << 10

  /// - Parameter size: The length of the file in bytes, at least 1.
  init(to host: String, size: Int) {
    (self.host, self.size) = (host, size)
  }

  /// Whether the upload is over.
  var isOver: Bool { state == .over }

  /// TLS has begun, and the certificate is the host's.
  mutating func secured() -> [Action] {
    guard state == .opening else { return [] }
    return [.sendHead] + sendNext(from: 0)
  }

  /// Everything sent so far is written.
  mutating func written() -> [Action] {
    guard case .sending(let end) = state else { return [] }
    return sendNext(from: end)
  }

  private mutating func sendNext(from start: Int) -> [Action] {
    guard start < size else {
      state = .sent
      return [.sendEnd]
    }
    let end = min(size, start + Self.piece)
    state = .sending(until: end)
    return [.send(start..<end)]
  }

  /// The beginning of an answer arrived.
  ///
  /// - Parameter status: The status code (RFC 9110 §15).
  mutating func answered(_ status: Int) -> [Action] {
    switch state {
    case .over: return []
    case .opening, .sending, .sent: break
    }
    switch status {
    case 100..<200: return []
    case 200..<300:
      guard state == .sent else {
        return finish(.lost(host: host, reason: "it answered before it had the file"))
      }
      return finish(nil)
    case 300..<400: return finish(.redirected(host: host))
    case 413: return finish(.tooLarge(size: size, limit: nil))
    default: return finish(.refused(host: host, status: status))
    }
  }

  /// The connection failed or was closed.
  mutating func disconnected(_ failure: UploadFailure) -> [Action] {
    state == .over ? [] : finish(failure)
  }

  /// Nothing was written or answered for too long.
  mutating func timedOut() -> [Action] {
    state == .over ? [] : finish(.timeout(host: host))
  }

  private mutating func finish(_ failure: UploadFailure?) -> [Action] {
    state = .over
    return [.finish(failure)]
  }
}
