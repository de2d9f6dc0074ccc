import XMPPStanza
import XMPPStream

/// What had to be guessed of a text that does not say which way each element went.
package struct GuessedDirections: Hashable, Sendable {
  /// Whether it is a text in which words may say so, and no mere elements.
  package var isText = true
  /// How many elements there are.
  package var elements = 0
  /// How many of them have a direction that neither a word, their content nor an address confirms,
  /// or one that the word before them denies.
  package var doubtful = 0
  /// The number of the line, from 1, on which the first doubtful one begins.
  package var firstDoubtful: Int?

  mutating func note(_ event: StreamEvent, isDoubtful: Bool, _ line: Int) {
    guard case .element(let element) = event else { return }
    elements += 1
    // Whoever acknowledges stanzas, no roster depends on it.
    guard isDoubtful, !element.node.isAcknowledgement else { return }
    doubtful += 1
    firstDoubtful = firstDoubtful ?? line
  }

  /// These and those of another part of the text.
  func adding(_ other: GuessedDirections) -> GuessedDirections {
    GuessedDirections(
      isText: isText, elements: elements + other.elements, doubtful: doubtful + other.doubtful,
      firstDoubtful: [firstDoubtful, other.firstDoubtful].compactMap { $0 }.min())
  }
}

/// Decides which way each element of a pasted text went.
struct PastedDirections {
  typealias Sink = LineReader.Sink

  /// What one place of the text has: an element of a stream, or more where it is an envelope.
  private struct Found {
    let events: [StreamEvent]
    let label: PastedText.Label?
    /// What stands after it on its line.
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

  /// What waits until it is known whose words the labels are, or what stands after it.
  private var held: [Held] = []
  private var heldBytes = 0
  private var heldEvidence = 0
  private var isDecided = false
  private var labels = PastedLabels()
  private var constants = ConstantLabels()
  /// The account, if it is told, or the words say what it received.
  private var account: JID?
  /// The account by nothing but that what has a sender was received.
  private var assumedAccount: JID?
  private var guess = DirectionGuess()
  private(set) var guessed = GuessedDirections()

  /// How many contents decide.
  private static let sufficient = 8
  private static let maximumHeld = 1000
  private static let maximumHeldBytes = 4 << 20

  init(account: BareJID?) {
    self.account = account.map { JID(prepared: $0, resource: nil) }
  }

  /// Takes what the text has next, and hands over that whose direction is decided.
  mutating func take(
    _ events: [StreamEvent], label: PastedText.Label?, line: Int, time: Int64?, _ sink: Sink
  ) throws {
    if isDecided { try giveHeld(sink) }
    let found = Found(events: events, label: label, line: line, time: time)
    held.append(.found(found))
    guard !isDecided else {
      if !labels.areAfterElements { try giveHeld(sink) }
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
      heldEvidence >= Self.sufficient || held.count >= Self.maximumHeld
        || heldBytes > Self.maximumHeldBytes
    else { return }
    try decide(keepsLast: true, sink)
  }

  /// Takes what the text after the last element says, at the end of its line.
  mutating func trail(_ label: DirectionLabel?, _ sink: Sink) throws {
    guard case .found(var found)? = held.last else { return }
    found.trail = label
    held[held.count - 1] = .found(found)
    if isDecided { try giveHeld(sink) }
  }

  /// Takes a problem, which keeps its place among the elements.
  mutating func take(_ problem: CaptureProblem, _ sink: Sink) throws {
    if held.isEmpty, isDecided {
      try sink(.problem(problem))
    } else {
      held.append(.problem(problem))
    }
  }

  /// Hands over what waits, if anything does.
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
    try giveHeld(sink)
    if let last { held = [last] }
  }

  /// Hands over the rest.
  ///
  /// - Throws: `CaptureError` if the words of the text contradict each other.
  mutating func finish(_ sink: Sink) throws {
    try decide(sink)
    try labels.checkContradiction()
  }

  private mutating func giveHeld(_ sink: Sink) throws {
    for index in held.indices { note(index) }
    let waiting = held
    held.removeAll(keepingCapacity: true)
    for entry in waiting {
      switch entry {
      case .problem(let problem): try sink(.problem(problem))
      case .found(let found): try give(found, sink)
      }
    }
  }

  /// The word that is of an element.
  private func label(of found: Found) -> DirectionLabel? {
    labels.areAfterElements ? found.trail : found.label.flatMap { constants.label(of: $0) }
  }

  /// Whether the word of an element is only that of the element before.
  private func isInherited(_ found: Found) -> Bool {
    !labels.areAfterElements && found.label?.isInherited == true
  }

  /// Compares the word of an element with its content.
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

  private mutating func give(_ found: Found, _ sink: Sink) throws {
    let label = label(of: found)
    let claimed = label.map { labels.claim($0) }
    let isInherited = isInherited(found)
    for event in found.events {
      learnAccount(from: event)
      var proven = ContentDirection.proven(of: event, account: account)
      if proven == nil, guess.isAnswerToClient(event) { proven = .inbound }
      let said = labels.sayNothing ? nil : claimed
      let assumed = ContentDirection.proven(of: event, account: assumedAccount)
      let inferred =
        (proven == nil && isInherited ? answer(event) : nil)
        ?? guess.direction(of: event, known: proven ?? said ?? assumed)
      let isContradicted =
        !isInherited && proven != nil && claimed != nil && proven != claimed
      let isUnsaid = proven == nil && said == nil && !inferred.isAnswer
      guessed.note(event, isDoubtful: isContradicted || isUnsaid, found.line)
      let head = RecordHead(
        line: found.line, direction: inferred.direction, connection: "", time: found.time)
      try head.emit(event, sink)
    }
  }

  /// What follows from the request that an element answers; nil if it answers none.
  private mutating func answer(_ event: StreamEvent) -> (direction: Direction, isAnswer: Bool)? {
    guard case .element(let element) = event, element.node.name.local == "iq",
      ["result", "error"].contains(element.node.attribute("type"))
    else { return nil }
    let inferred = guess.direction(of: event, known: nil)
    return inferred.isAnswer ? inferred : nil
  }

  // MARK: The account

  private mutating func learnAccount(from event: StreamEvent) { account = event.login ?? account }

  /// Before a login is seen, the account is whom the server sends stanzas to.
  private mutating func learnAccount(fromAddressesOf waiting: [Found]) {
    var (told, assumed): (JID?, JID?)
    for found in waiting {
      let said = labels.sayNothing ? nil : label(of: found).map { labels.claim($0) }
      for event in found.events {
        guard case .element(let element) = event, element.node.name.namespace == Namespace.client,
          let to = element.node.attribute("to").flatMap({
            try? JID(parsing: $0.trimmedOfXMLSpace)
          }), to.bare.local != nil, account == nil || account?.bare == to.bare
        else { continue }
        let direction = ContentDirection.proven(of: event) ?? said
        if direction == .inbound, told?.resource == nil {
          told = to.resource == nil ? told ?? to : to
        } else if direction == nil, element.node.attribute("from") != nil,
          assumed?.resource == nil
        {
          assumed = to.resource == nil ? assumed ?? to : to
        }
      }
    }
    account = told ?? account
    assumedAccount = account ?? assumed
  }
}

/// Finds the words and signs that are the same at nearly all elements of a text, on lines on which
/// another one varies: `RECV (pending send: 3)`. They say something else.
private struct ConstantLabels {
  private var constants: Set<DirectionLabel> = []

  /// What an element's text says apart from these.
  func label(of label: PastedText.Label) -> DirectionLabel? {
    label.labels.first { !constants.contains($0) }
  }

  /// Looks at what stands before the elements that wait.
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

  /// The label that is the nearest one at nearly all elements, if there is one.
  private static func constant(in lines: [[DirectionLabel]]) -> DirectionLabel? {
    var counts: [DirectionLabel: Int] = [:]
    for label in lines.compactMap(\.first) { counts[label, default: 0] += 1 }
    return counts.first { areNearlyAll($0.value, of: lines) }?.key
  }
}

/// What the words before elements, or after them, have been worth so far.
private struct PastedLabels {
  /// Whether the words stand after their elements.
  var areAfterElements = false
  /// The lines whose content confirms the words of a client, and of those that deny them.
  private var confirmed = Lines()
  private var denied = Lines()
  /// How often each direction was said, and proved where it was said.
  private var said: [Direction: Int] = [:]
  private var proven: Set<Direction> = []

  private struct Lines {
    var count = 0
    var first: Int?

    mutating func note(_ line: Int) {
      count += 1
      first = first ?? line
    }
  }

  /// How many contents decide whose words they are.
  private static let sufficient = 8
  private static let sufficientToContradict = 3
  /// Whether the words are a server's, so that they mean the opposite.
  private var isServer = false

  /// Takes a word, and what the content of its element proves.
  mutating func note(_ label: DirectionLabel, _ content: Direction?, _ line: Int) {
    guard !label.namesEndpoint else { return }
    said[label.direction, default: 0] += 1
    guard let content else { return }
    proven.insert(content)
    if content == label.direction { confirmed.note(line) } else { denied.note(line) }
    if confirmed.count + denied.count <= Self.sufficient {
      isServer = denied.count > confirmed.count
    }
  }

  /// The direction that a word claims.
  func claim(_ label: DirectionLabel) -> Direction {
    isServer && !label.namesEndpoint ? label.direction.opposite : label.direction
  }

  /// Whether the words are nearly all the same, at what went either way: then they say something
  /// else.
  var sayNothing: Bool {
    let counts = Direction.allCases.map { said[$0] ?? 0 }
    return proven.count == 2 && areDivided && (counts.min() ?? 0) * 10 < (counts.max() ?? 0)
  }

  /// Whether many contents confirm the words and many deny them.
  private var areDivided: Bool {
    3 * min(confirmed.count, denied.count) >= max(confirmed.count, denied.count)
  }

  /// Refuses a text whose words are a client's here and a server's there.
  func checkContradiction() throws(CaptureError) {
    let (agreeing, opposing) = isServer ? (denied, confirmed) : (confirmed, denied)
    guard areDivided, !sayNothing, let line = opposing.first,
      min(agreeing.count, opposing.count) >= Self.sufficientToContradict
    else { return }
    throw .contradictoryDirections(line: line, other: agreeing.first)
  }
}

extension StreamEvent {
  /// The address of a login that it ends.
  var login: JID? {
    guard case .element(let element) = self else { return nil }
    return LoginResult(element.node)?.jid
  }

  /// About what it takes to hold it.
  fileprivate var byteCount: Int {
    switch self {
    case .header(let element), .element(let element): 2 * element.bytes.count
    case .end: 16
    }
  }
}
