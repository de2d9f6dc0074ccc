import DequeModule
import XMPPStanza

/// Compares what a log says about directions with what its elements are, before any of it is
/// believed: the same words, such as RECV, mean the opposite in the log of a server.
///
/// Records are held until their content has confirmed the log's words or has shown that they are a
/// server's, in which case every direction is turned around. What only one side of a stream sends
/// decides at once; weaker signs decide if nothing stronger comes. Who follows a log cannot wait:
/// what was shown early is refused as soon as the signs turn out to be against it.
struct DirectionCheck {
  typealias Sink = (CaptureOutput) throws -> Void

  /// What the elements of one connection have proved.
  private struct Proof {
    /// The line of the first element that confirms the log's words.
    var confirming: Int?
    /// The line of the first element that contradicts them.
    var contradicting: Int?
  }

  /// Whether the directions are turned around; nil while records are held.
  private var isReversed: Bool?
  /// Whether the content has said so; until then it is a guess for what had to be shown early.
  private var isDecided = false
  private var held: Deque<CaptureOutput> = []
  /// How many outputs have come before it was decided, and the bytes of their records.
  private var undecided = (count: 0, bytes: 0)
  private var lastLine = 1
  private var proofs: [String: Proof] = [:]
  private var confirmingHints = 0
  private var contradictingHints = 0
  /// The directions, by the log's words, of habits that contradict them: both together are a hint.
  private var unusual: Set<Direction> = []

  /// How many hints decide if all of them agree.
  private static let sufficientHints = 3
  private static let maximumUndecided = (count: 2000, bytes: 4 << 20)
  /// How many connections are compared; those after them change nothing.
  private static let maximumConnections = 4096

  /// Takes what a reader gives, and gives it on once its direction is known.
  mutating func pass(_ output: CaptureOutput, to sink: Sink) throws {
    if case .record(let record) = output {
      note(record)
      undecided.bytes += record.bytes
      lastLine = record.line
    }
    held.append(output)
    undecided.count += 1
    try decide(isLast: false)
    try give(sink)
  }

  /// Gives on what is held, by what is likely so far: somebody is waiting for it.
  mutating func release(_ sink: Sink) throws {
    guard !held.isEmpty else { return }
    isReversed = isLikelyReversed
    try give(sink)
  }

  /// Takes the end of the log.
  ///
  /// - Throws: `CaptureError` if the log contradicts itself, and what `sink` throws.
  mutating func finish(_ sink: Sink) throws {
    try decide(isLast: true)
    try give(sink)
    try checkContradiction()
  }

  private mutating func note(_ record: CapturedRecord) {
    let direction: Direction
    let found: SpeakerEvidence?
    switch record.content {
    case .element(let way, let node, _): (direction, found) = (way, SpeakerEvidence(node))
    case .streamHeader(let way, let node, _):
      (direction, found) = (way, SpeakerEvidence(header: node))
    case .streamEnd, .lifecycle, .annotation, .unreadable: return
    }
    guard let evidence = found else { return }
    let isConfirming = evidence.direction == direction
    switch evidence.strength {
    case .proof:
      guard proofs.count < Self.maximumConnections || proofs[record.connection] != nil else {
        return
      }
      if isConfirming {
        proofs[record.connection, default: Proof()].confirming =
          proofs[record.connection]?.confirming ?? record.line
      } else {
        proofs[record.connection, default: Proof()].contradicting =
          proofs[record.connection]?.contradicting ?? record.line
      }
    case .hint:
      if isConfirming { confirmingHints += 1 } else { contradictingHints += 1 }
    case .habit:
      if isConfirming {
        confirmingHints += 1
      } else if unusual.insert(direction).inserted, unusual.count == 2 {
        contradictingHints += 1
      }
    }
  }

  private var isLikelyReversed: Bool { confirmingHints == 0 && contradictingHints > 0 }

  private mutating func decide(isLast: Bool) throws(CaptureError) {
    guard !isDecided, let verdict = verdict(isLast: isLast) else { return }
    guard isReversed ?? verdict == verdict else { throw .shownTheWrongWay(line: lastLine) }
    (isReversed, isDecided) = (verdict, true)
  }

  /// Whether the directions are turned around; nil while more has to come to know.
  private func verdict(isLast: Bool) -> Bool? {
    if let proof = proofs.values.first { return proof.confirming == nil }
    if contradictingHints == 0, confirmingHints >= Self.sufficientHints { return false }
    if confirmingHints == 0, contradictingHints >= Self.sufficientHints { return true }
    let isLimit =
      undecided.count >= Self.maximumUndecided.count
      || undecided.bytes >= Self.maximumUndecided.bytes
    return isLast || isLimit ? isLikelyReversed : nil
  }

  private mutating func give(_ sink: Sink) throws {
    guard let isReversed else { return }
    while let output = held.popFirst() { try sink(isReversed ? output.reversed : output) }
  }

  /// Connections whose elements prove the opposite of what was decided refute the log, unless they
  /// are few among many; so does a log that proves both in all of its connections. Among the
  /// sessions of a server, a client that sends what only servers do refutes nothing.
  private func checkContradiction() throws(CaptureError) {
    let sides = proofs.values.map { proof in
      isReversed == true
        ? (for: proof.contradicting, against: proof.confirming)
        : (for: proof.confirming, against: proof.contradicting)
    }
    let supporting = sides.count { $0.for != nil && $0.against == nil }
    let opposing = sides.count { $0.for == nil && $0.against != nil }
    let isDivided = supporting == 0 && sides.contains { $0.against != nil }
    guard let against = sides.compactMap(\.against).min(), isDivided || opposing * 4 > supporting
    else { return }
    throw .contradictoryDirections(line: against, other: sides.compactMap(\.for).min())
  }
}

extension CaptureOutput {
  /// The output with the opposite directions.
  fileprivate var reversed: CaptureOutput {
    guard case .record(var record) = self else { return self }
    switch record.content {
    case .streamHeader(let direction, let node, let bytes):
      record.content = .streamHeader(direction.opposite, node, bytes: bytes)
    case .streamEnd(let direction): record.content = .streamEnd(direction.opposite)
    case .element(let direction, let node, let bytes):
      record.content = .element(direction.opposite, node, bytes: bytes)
    case .lifecycle, .annotation, .unreadable: break
    }
    return .record(record)
  }
}
