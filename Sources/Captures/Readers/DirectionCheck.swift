import DequeModule
import XMPPStanza

/// Checks the directions in a log's words against its elements before any of them is used: the same
/// words, such as RECV, mean the opposite in the log of a server.
///
/// Records are held until their content has confirmed the log's words or has shown that they are a
/// server's, in which case every direction is reversed. Elements that only one side of a stream
/// sends decide at once; weaker signs decide if nothing stronger follows. A user who follows a log
/// cannot wait, so records are passed on early; if later signs contradict them, the log is refused
/// at once.
struct DirectionCheck {
  typealias Sink = (CaptureOutput) throws -> Void

  /// The proof from the elements of one connection.
  private struct Proof {
    /// The line of the first element that confirms the log's words.
    var confirming: Int?
    /// The line of the first element that contradicts them.
    var contradicting: Int?
    /// The directions, in the log's words, of the elements that prove anything.
    var directions: Set<Direction> = []

    /// Whether the proof is consistent and comes from both sides: a contact or server that controls
    /// one side can make that side prove anything.
    var isConclusive: Bool { directions.count == 2 && !isContradictory }
    var isContradictory: Bool { confirming != nil && contradicting != nil }
  }

  /// Whether the directions are reversed; nil while records are held.
  private var isReversed: Bool?
  /// Whether the content has decided; until then `isReversed` is a guess for records that were
  /// needed early.
  private var isDecided = false
  private var held: Deque<CaptureOutput> = []
  /// The number of outputs before the decision, and the bytes of their records.
  private var undecided = (count: 0, bytes: 0)
  private var lastLine = 1
  private var proofs: [String: Proof] = [:]
  private var confirmingHints = 0
  private var contradictingHints = 0
  /// The number of contradicting hints that are signs, which weigh more.
  private var contradictingSigns = 0
  /// The line of the first hint that contradicts the log's words.
  private var firstContradiction: Int?
  /// The directions, in the log's words, of habits that contradict them. Both together count as a
  /// hint.
  private var contradictingHabits: Set<Direction> = []

  /// The number of hints that decide if all of them agree.
  private static let decisiveHints = 3
  /// The number of hints without a sign that reverse a whole log if no hint confirms its words.
  private static let hintsToReverse = 2
  private static let maximumUndecided = (count: 2000, bytes: 4 << 20)
  /// The maximum number of connections that are compared. Further ones are ignored.
  private static let maximumConnections = 4096

  /// Adds an output, and passes on outputs once their direction is known.
  mutating func pass(_ output: CaptureOutput, to sink: Sink) throws {
    if case .record(let record) = output {
      note(record)
      undecided.bytes += record.bytes
      lastLine = record.line
    }
    held.append(output)
    undecided.count += 1
    try decide(isLast: false)
    try emit(sink)
  }

  /// Passes on the held outputs with the most likely directions, for a user who is waiting for
  /// them.
  mutating func release(_ sink: Sink) throws {
    guard !held.isEmpty else { return }
    isReversed = isLikelyReversed
    try emit(sink)
  }

  /// Ends the log and passes on the held outputs.
  ///
  /// - Throws: `CaptureError` if the log contradicts itself, and what `sink` throws.
  mutating func finish(_ sink: Sink) throws {
    try decide(isLast: true)
    try emit(sink)
    try checkContradiction(sink)
  }

  private mutating func note(_ record: CapturedRecord) {
    let direction: Direction
    let found: SpeakerEvidence?
    switch record.content {
    case .element(let stated, let node, _): (direction, found) = (stated, SpeakerEvidence(node))
    case .streamHeader(let stated, let node, _):
      (direction, found) = (stated, SpeakerEvidence(header: node))
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
      let isSecondHabit =
        !isConfirming && contradictingHabits.insert(direction).inserted
        && contradictingHabits.count == 2
      if isConfirming || isSecondHabit { noteHint(record, isConfirming: isConfirming) }
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

  /// Whether the evidence so far makes reversed directions more likely.
  private var isLikelyReversed: Bool {
    let (supporting, opposing) = sides(isReversed: false)
    if supporting != opposing { return opposing > supporting }
    return confirmingHints == 0
      && (contradictingSigns > 0 || contradictingHints >= Self.hintsToReverse)
  }

  private mutating func decide(isLast: Bool) throws(CaptureError) {
    guard !isDecided, let verdict = verdict(isLast: isLast) else { return }
    guard isReversed ?? verdict == verdict else { throw .shownWithWrongDirections(line: lastLine) }
    (isReversed, isDecided) = (verdict, true)
  }

  /// Whether the directions are reversed; nil while the evidence is not sufficient.
  private func verdict(isLast: Bool) -> Bool? {
    // A log without names of connections has only one at a time, so no other session is mixed in.
    if let proof = proofs[""] ?? proofs.values.first(where: \.isConclusive) {
      return proof.confirming == nil
    }
    let (supporting, opposing) = sides(isReversed: false)
    if contradictingHints + opposing == 0, confirmingHints >= Self.decisiveHints { return false }
    if confirmingHints + supporting == 0, contradictingHints >= Self.decisiveHints {
      return true
    }
    let isLimit =
      undecided.count >= Self.maximumUndecided.count
      || undecided.bytes >= Self.maximumUndecided.bytes
    return isLast || isLimit ? isLikelyReversed : nil
  }

  /// The number of connections that support the decision, and of those that oppose it. If any
  /// connection has a conclusive proof, only such connections count.
  private func sides(isReversed: Bool) -> (supporting: Int, opposing: Int) {
    let conclusive = proofs.values.filter(\.isConclusive)
    let counted =
      conclusive.isEmpty ? proofs.values.filter { !$0.isContradictory } : conclusive
    let opposing = counted.count { ($0.contradicting != nil) != isReversed }
    return (counted.count - opposing, opposing)
  }

  private mutating func emit(_ sink: Sink) throws {
    guard let isReversed else { return }
    while let output = held.popFirst() { try sink(isReversed ? output.reversed : output) }
  }

  /// Refuses a log if most of its connections prove the opposite of the decision, or each proves
  /// both.
  ///
  /// Among the sessions of a server, a client that sends elements of a server refutes nothing; a
  /// problem reports it.
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
      \(against.count) of \(proofs.count) connections contradict the directions of the \
      others: they are read like the others
      """
    try sink(.problem(CaptureProblem(line: first, message: message)))
  }

  /// Reports directions that only a few hints contradict and none confirms.
  private func reportDoubt(_ sink: Sink) throws {
    guard isReversed == false, confirmingHints == 0, proofs.isEmpty, let firstContradiction else {
      return
    }
    let message = """
      the directions are not confirmed: this element looks as if it went in the opposite \
      direction to its word, but the other elements do not show enough
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
