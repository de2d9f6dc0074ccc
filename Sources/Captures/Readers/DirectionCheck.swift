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
    /// The directions, by the log's words, of elements that prove anything.
    var directions: Set<Direction> = []

    /// Whether all of it says the same, and both sides have shown it: whoever writes only one side
    /// of a connection can make that one side say anything.
    var isWhole: Bool { directions.count == 2 && !isDivided }
    var isDivided: Bool { confirming != nil && contradicting != nil }
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
  /// How many of them weigh more than others.
  private var contradictingSigns = 0
  /// The line of the first hint that contradicts the log's words.
  private var firstContradiction: Int?
  /// The directions, by the log's words, of habits that contradict them: both together are a hint.
  private var unusual: Set<Direction> = []

  /// How many hints decide if all of them agree.
  private static let sufficientHints = 3
  /// How many hints without a sign turn a whole log around that has none for its words.
  private static let hintsToReverse = 2
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
    try checkContradiction(sink)
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
    case .proof: noteProof(of: record, direction, isConfirming: isConfirming)
    case .sign, .hint:
      noteHint(record, isConfirming: isConfirming)
      if evidence.strength == .sign, !isConfirming { contradictingSigns += 1 }
    case .habit:
      let isHint = isConfirming || (unusual.insert(direction).inserted && unusual.count == 2)
      if isHint { noteHint(record, isConfirming: isConfirming) }
    }
  }

  private mutating func noteHint(_ record: CapturedRecord, isConfirming: Bool) {
    guard !isConfirming else { return confirmingHints += 1 }
    contradictingHints += 1
    firstContradiction = firstContradiction ?? record.line
  }

  private mutating func noteProof(
    of record: CapturedRecord, _ direction: Direction, isConfirming: Bool
  ) {
    let name = record.connection
    guard proofs.count < Self.maximumConnections || proofs[name] != nil else { return }
    var proof = proofs[name] ?? Proof()
    proof.directions.insert(direction)
    if isConfirming {
      proof.confirming = proof.confirming ?? record.line
    } else {
      proof.contradicting = proof.contradicting ?? record.line
    }
    proofs[name] = proof
  }

  /// What is likely by all that has come.
  private var isLikelyReversed: Bool {
    let (supporting, opposing) = sides(isReversed: false)
    if supporting != opposing { return opposing > supporting }
    return confirmingHints == 0
      && (contradictingSigns > 0 || contradictingHints >= Self.hintsToReverse)
  }

  private mutating func decide(isLast: Bool) throws(CaptureError) {
    guard !isDecided, let verdict = verdict(isLast: isLast) else { return }
    guard isReversed ?? verdict == verdict else { throw .shownTheWrongWay(line: lastLine) }
    (isReversed, isDecided) = (verdict, true)
  }

  /// Whether the directions are turned around; nil while more has to come to know.
  private func verdict(isLast: Bool) -> Bool? {
    // A log without names of connections has one at a time, and nobody else is in it.
    if let proof = proofs[""] ?? proofs.values.first(where: \.isWhole) {
      return proof.confirming == nil
    }
    let (supporting, opposing) = sides(isReversed: false)
    if contradictingHints + opposing == 0, confirmingHints >= Self.sufficientHints { return false }
    if confirmingHints + supporting == 0, contradictingHints >= Self.sufficientHints {
      return true
    }
    let isLimit =
      undecided.count >= Self.maximumUndecided.count
      || undecided.bytes >= Self.maximumUndecided.bytes
    return isLast || isLimit ? isLikelyReversed : nil
  }

  /// How many connections say that the words are as decided, and how many that they are not; if
  /// any has shown both sides, only such count.
  private func sides(isReversed: Bool) -> (supporting: Int, opposing: Int) {
    let whole = proofs.values.filter(\.isWhole)
    let counted = whole.isEmpty ? proofs.values.filter { !$0.isDivided } : whole
    let opposing = counted.count { ($0.contradicting != nil) != isReversed }
    return (counted.count - opposing, opposing)
  }

  private mutating func give(_ sink: Sink) throws {
    guard let isReversed else { return }
    while let output = held.popFirst() { try sink(isReversed ? output.reversed : output) }
  }

  /// A log is refuted if most of its connections prove the opposite of what was decided, or each
  /// proves both. Among the sessions of a server, a client that sends what only servers do refutes
  /// nothing; it is told of.
  private func checkContradiction(_ sink: Sink) throws {
    let isReversed = isReversed == true
    let against = proofs.values.compactMap { isReversed ? $0.confirming : $0.contradicting }
    guard let first = against.min() else { return try reportDoubt(sink) }
    let (supporting, opposing) = sides(isReversed: isReversed)
    guard supporting > opposing else {
      let other = proofs.values.compactMap { isReversed ? $0.contradicting : $0.confirming }.min()
      throw CaptureError.contradictoryDirections(line: first, other: other)
    }
    let message = """
      \(against.count) of \(proofs.count) connections contradict what the others say of \
      directions: they are read as the others are
      """
    try sink(.problem(CaptureProblem(line: first, message: message)))
  }

  /// Says where words were believed that too little speaks against, and nothing for.
  private func reportDoubt(_ sink: Sink) throws {
    guard isReversed == false, confirmingHints == 0, proofs.isEmpty, let firstContradiction else {
      return
    }
    let message = """
      the directions are not confirmed: this looks as if it went the other way than its word says, \
      but too little else does
      """
    try sink(.problem(CaptureProblem(line: firstContradiction, message: message)))
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
