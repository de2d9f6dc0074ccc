import XMPPStanza
import XMPPStream

/// The guesses that a reader made about the directions of a text.
package struct GuessedDirections: Hashable, Sendable {
  /// Whether it is a text whose words may state directions, rather than bare elements.
  package var isText = true
  /// The number of elements.
  package var elements = 0
  /// The number of elements whose direction is neither confirmed by a word, their content or an
  /// address, or is contradicted by the word before them.
  package var doubtful = 0
  /// The number, from 1, of the line on which the first doubtful element begins.
  package var firstDoubtful: Int?

  mutating func note(_ event: StreamEvent, isDoubtful: Bool, _ line: Int) {
    guard case .element(let element) = event else { return }
    elements += 1
    // The direction of acknowledgements does not affect a roster.
    guard isDoubtful, !element.node.isAcknowledgement else { return }
    doubtful += 1
    firstDoubtful = firstDoubtful ?? line
  }

  /// The sum of these guesses and those about another part of the text.
  func adding(_ other: GuessedDirections) -> GuessedDirections {
    GuessedDirections(
      isText: isText, elements: elements + other.elements, doubtful: doubtful + other.doubtful,
      firstDoubtful: [firstDoubtful, other.firstDoubtful].compactMap { $0 }.min())
  }
}

/// Decides the direction of each element of a pasted text.
struct PastedDirections {
  typealias Sink = LineReader.Sink

  /// An element of a stream in the text, or several in an envelope.
  private struct Found {
    let events: [StreamEvent]
    let label: PastedText.Label?
    /// The label after it on its line.
    var trail: DirectionLabel?
    let line: Int
    let time: Int64?
    /// Whether its word was compared with its content.
    var isNoted = false
  }

  private enum Held {
    case found(Found)
    case problem(CaptureProblem)
  }

  /// The elements and problems that wait until the meaning of the labels, or the text after the
  /// element, is known.
  private var held: [Held] = []
  private var heldBytes = 0
  private var heldEvidence = 0
  private var isDecided = false
  private var labels = PastedLabels()
  private var constants = ConstantLabels()
  /// The account, if it was given, or found in a login or in elements that were received according
  /// to the words.
  private var account: JID?
  /// The account, if it is assumed only from elements with a sender, which are probably received
  /// ones.
  private var assumedAccount: JID?
  private var guess = DirectionGuess()
  private(set) var guessed = GuessedDirections()

  /// The number of proven directions that decide.
  private static let decisiveCount = 8
  private static let maximumHeld = 1000
  private static let maximumHeldBytes = 4 << 20

  init(account: BareJID?) {
    self.account = account.map { JID(prepared: $0, resource: nil) }
  }

  /// Adds elements of the text, and passes on the elements whose direction is decided.
  mutating func add(
    _ events: [StreamEvent], label: PastedText.Label?, line: Int, time: Int64?, _ sink: Sink
  ) throws {
    if isDecided { try emitHeld(sink) }
    let found = Found(events: events, label: label, line: line, time: time)
    held.append(.found(found))
    guard !isDecided else {
      if !labels.areAfterElements { try emitHeld(sink) }
      return
    }
    for event in events {
      learnAccount(from: event)
      heldBytes += event.byteCount
      if let label, !label.isInherited, label.labels.first?.namesEndpoint == false,
        ContentDirection.proven(of: event) != nil
      {
        heldEvidence += 1
      }
    }
    guard
      heldEvidence >= Self.decisiveCount || held.count >= Self.maximumHeld
        || heldBytes > Self.maximumHeldBytes
    else { return }
    try decide(keepsLast: true, sink)
  }

  /// Adds the label after the last element, at the end of its line.
  mutating func trail(_ label: DirectionLabel?, _ sink: Sink) throws {
    guard case .found(var found)? = held.last else { return }
    found.trail = label
    held[held.count - 1] = .found(found)
    if isDecided { try emitHeld(sink) }
  }

  /// Adds a problem, which keeps its position among the elements.
  mutating func add(_ problem: CaptureProblem, _ sink: Sink) throws {
    if held.isEmpty, isDecided {
      try sink(.problem(problem))
    } else {
      held.append(.problem(problem))
    }
  }

  /// Decides about the held elements and passes them on.
  ///
  /// - Parameter keepsLast: Whether a word may still follow the last element.
  mutating func decide(keepsLast: Bool = false, _ sink: Sink) throws {
    guard !held.isEmpty else { return }
    if !isDecided {
      isDecided = true
      let waiting = held.compactMap { if case .found(let found) = $0 { found } else { nil } }
      let trails = waiting.count { $0.trail != nil }
      let others = waiting.count { $0.label?.isAfterAnother == false }
      labels.areAfterElements = 2 * trails > waiting.count && 3 * others <= trails
      constants.learn(waiting.compactMap { $0.label })
      for index in held.indices { note(index) }
      if account?.resource == nil { learnAccount(fromAddressesOf: waiting) }
    }
    let last = keepsLast && labels.areAfterElements ? held.popLast() : nil
    try emitHeld(sink)
    if let last { held = [last] }
  }

  /// Passes on the remaining elements.
  ///
  /// - Throws: `CaptureError` if the words of the text contradict each other.
  mutating func finish(_ sink: Sink) throws {
    try decide(sink)
    try labels.checkContradiction()
  }

  private mutating func emitHeld(_ sink: Sink) throws {
    for index in held.indices { note(index) }
    let waiting = held
    held.removeAll(keepingCapacity: true)
    for entry in waiting {
      switch entry {
      case .problem(let problem): try sink(.problem(problem))
      case .found(let found): try emit(found, sink)
      }
    }
  }

  /// The label that belongs to an element.
  private func label(of found: Found) -> DirectionLabel? {
    labels.areAfterElements ? found.trail : found.label.flatMap { constants.label(of: $0) }
  }

  /// Whether the label of an element is only that of the element before.
  private func isInherited(_ found: Found) -> Bool {
    !labels.areAfterElements && found.label?.isInherited == true
  }

  /// Compares the label of an element with its content.
  private mutating func note(_ index: Int) {
    guard case .found(var found) = held[index], !found.isNoted, !isInherited(found),
      let label = label(of: found)
    else { return }
    found.isNoted = true
    held[index] = .found(found)
    for event in found.events {
      labels.note(label, ContentDirection.proven(of: event), found.line)
    }
  }

  private mutating func emit(_ found: Found, _ sink: Sink) throws {
    let label = label(of: found)
    let claimed = label.map { labels.claim($0) }
    let isInherited = isInherited(found)
    for event in found.events {
      learnAccount(from: event)
      var proven = ContentDirection.proven(of: event, account: account)
      if proven == nil, guess.isAnswerToClient(event) { proven = .inbound }
      let stated = labels.areMeaningless ? nil : claimed
      let assumed = ContentDirection.proven(of: event, account: assumedAccount)
      let inferred =
        (proven == nil && isInherited ? answer(event) : nil)
        ?? guess.direction(of: event, known: proven ?? stated ?? assumed)
      let isContradicted =
        !isInherited && proven != nil && claimed != nil && proven != claimed
      let isUnstated = proven == nil && stated == nil && !inferred.isAnswer
      guessed.note(event, isDoubtful: isContradicted || isUnstated, found.line)
      let head = RecordHead(
        line: found.line, direction: inferred.direction, connection: "", time: found.time)
      try head.emit(event, sink)
    }
  }

  /// The direction that follows from the request that an element answers; nil if it answers none.
  private mutating func answer(_ event: StreamEvent) -> (direction: Direction, isAnswer: Bool)? {
    guard case .element(let element) = event, element.node.name.local == "iq",
      ["result", "error"].contains(element.node.attribute("type"))
    else { return nil }
    let inferred = guess.direction(of: event, known: nil)
    return inferred.isAnswer ? inferred : nil
  }

  // MARK: The account

  private mutating func learnAccount(from event: StreamEvent) { account = event.login ?? account }

  /// Infers the account, before a login, from the addresses that the server sends stanzas to.
  private mutating func learnAccount(fromAddressesOf waiting: [Found]) {
    var (known, assumed): (JID?, JID?)
    for found in waiting {
      let stated = labels.areMeaningless ? nil : label(of: found).map { labels.claim($0) }
      for event in found.events {
        guard case .element(let element) = event, element.node.name.namespace == Namespace.client,
          let to = element.node.attribute("to").flatMap({
            try? JID(parsing: $0.trimmedOfXMLSpace)
          }), to.bare.local != nil, account == nil || account?.bare == to.bare
        else { continue }
        let direction = ContentDirection.proven(of: event) ?? stated
        if direction == .inbound, known?.resource == nil {
          known = to.resource == nil ? known ?? to : to
        } else if direction == nil, element.node.attribute("from") != nil,
          assumed?.resource == nil
        {
          assumed = to.resource == nil ? assumed ?? to : to
        }
      }
    }
    account = known ?? account
    assumedAccount = account ?? assumed
  }
}

/// Finds the words and signs that are the same at nearly all elements of a text, on lines with
/// another one that varies, such as `RECV (pending send: 3)`. They do not state the direction.
private struct ConstantLabels {
  private var constants: Set<DirectionLabel> = []

  /// The nearest label of an element that is not constant.
  func label(of label: PastedText.Label) -> DirectionLabel? {
    label.labels.first { !constants.contains($0) }
  }

  /// Examines the labels of the elements that wait.
  mutating func learn(_ labels: [PastedText.Label]) {
    var lines = labels.compactMap { $0.isInherited ? nil : $0.labels }
    var found: Set<DirectionLabel> = []
    while lines.count > 1, let constant = Self.constant(in: lines) {
      let nearest = lines.compactMap(\.first)
      found.insert(constant)
      lines = lines.map { $0.filter { $0 != constant } }
      let next = lines.compactMap(\.first)
      guard Self.areNearlyAll(next.count, of: lines) else { return }
      if Self.countOfRarer(next) > Self.countOfRarer(nearest) {
        constants = found
      } else if Set(nearest).count == 1, Set(next).count == 1, next.count == lines.count,
        next[0].direction != constant.direction
      {
        // Each line has words for both directions, and none of them varies.
        constants = found.union(next)
      }
    }
  }

  private static func areNearlyAll(_ count: Int, of lines: [[DirectionLabel]]) -> Bool {
    count * 10 >= lines.count * 9
  }

  private static func countOfRarer(_ labels: [DirectionLabel]) -> Int {
    let inbound = labels.count { $0.direction == .inbound }
    return min(inbound, labels.count - inbound)
  }

  /// The label that is nearest at nearly all elements; nil if there is none.
  private static func constant(in lines: [[DirectionLabel]]) -> DirectionLabel? {
    var counts: [DirectionLabel: Int] = [:]
    for label in lines.compactMap(\.first) { counts[label, default: 0] += 1 }
    return counts.first { areNearlyAll($0.value, of: lines) }?.key
  }
}

/// The reliability so far of the words before or after elements.
private struct PastedLabels {
  /// Whether the words come after their elements.
  var areAfterElements = false
  /// The lines whose content confirms that the words are a client's, and the lines whose content
  /// denies it.
  private var confirmed = Lines()
  private var denied = Lines()
  /// The number of labels for each direction, and the directions proved for labeled elements.
  private var stated: [Direction: Int] = [:]
  private var proven: Set<Direction> = []

  private struct Lines {
    var count = 0
    var first: Int?

    mutating func note(_ line: Int) {
      count += 1
      first = first ?? line
    }
  }

  /// The number of proven directions that decide whether the words are a client's or a server's.
  private static let decisiveCount = 8
  private static let contradictionThreshold = 3
  /// Whether the words are a server's, so that they mean the opposite.
  private var isServer = false

  /// Compares a label with the direction that the content of its element proves.
  mutating func note(_ label: DirectionLabel, _ content: Direction?, _ line: Int) {
    guard !label.namesEndpoint else { return }
    stated[label.direction, default: 0] += 1
    guard let content else { return }
    proven.insert(content)
    if content == label.direction { confirmed.note(line) } else { denied.note(line) }
    if confirmed.count + denied.count <= Self.decisiveCount {
      isServer = denied.count > confirmed.count
    }
  }

  /// The direction that a label claims.
  func claim(_ label: DirectionLabel) -> Direction {
    isServer && !label.namesEndpoint ? label.direction.opposite : label.direction
  }

  /// Whether nearly all words are the same for both directions, so that they do not state a
  /// direction.
  var areMeaningless: Bool {
    let counts = Direction.allCases.map { stated[$0] ?? 0 }
    return proven.count == 2 && areDivided && (counts.min() ?? 0) * 10 < (counts.max() ?? 0)
  }

  /// Whether many elements confirm the words and many deny them.
  private var areDivided: Bool {
    3 * min(confirmed.count, denied.count) >= max(confirmed.count, denied.count)
  }

  /// Refuses a text whose words are a client's in some places and a server's in others.
  func checkContradiction() throws(CaptureError) {
    let (agreeing, opposing) = isServer ? (denied, confirmed) : (confirmed, denied)
    guard areDivided, !areMeaningless, let line = opposing.first,
      min(agreeing.count, opposing.count) >= Self.contradictionThreshold
    else { return }
    throw .contradictoryDirections(line: line, other: agreeing.first)
  }
}

extension StreamEvent {
  /// The address of the login that the event completes.
  var login: JID? {
    guard case .element(let element) = self else { return nil }
    return LoginResult(element.node)?.jid
  }

  /// The approximate size of the event in memory.
  fileprivate var byteCount: Int {
    switch self {
    case .header(let element), .element(let element): 2 * element.bytes.count
    case .end: 16
    }
  }
}
