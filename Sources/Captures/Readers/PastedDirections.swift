import XMPPStanza
import XMPPStream

/// What had to be guessed of a text that does not say which way each element went.
package struct GuessedDirections: Hashable, Sendable {
  /// How many elements there are.
  package var elements = 0
  /// How many of them have a direction that neither a word, their content nor an address confirms,
  /// or one that the word before them denies.
  package var doubtful = 0
  /// The number of the line, from 1, on which the first doubtful one begins.
  package var firstDoubtful: Int?
}

/// Decides which way each element of a pasted text went.
struct PastedDirections {
  typealias Sink = LineReader.Sink

  private enum Held {
    case event(StreamEvent, label: DirectionLabel?, line: Int, time: Int64?)
    case problem(CaptureProblem)
  }

  /// What waits until it is known whose words the labels are; nil once that is known.
  private var held: [Held]? = []
  private var heldBytes = 0
  /// How many labels the contents of elements confirm, and how many they deny.
  private var confirmed = 0
  private var denied = 0
  /// Whether the words are a server's, so that they mean the opposite.
  private var isServer = false
  private var account: BareJID?
  private var guess = DirectionGuess()
  private(set) var guessed = GuessedDirections()

  /// How many contents decide.
  private static let sufficient = 8
  private static let maximumHeld = 1000
  private static let maximumHeldBytes = 4 << 20

  /// Takes the next element, and hands over those whose direction is decided.
  mutating func take(
    _ event: StreamEvent, label: DirectionLabel?, line: Int, time: Int64?, _ sink: Sink
  ) throws {
    if confirmed + denied < Self.sufficient, let label, !label.namesEnd,
      let proven = ContentDirection.proven(of: event)
    {
      if proven == label.direction { confirmed += 1 } else { denied += 1 }
      isServer = denied > confirmed
    }
    guard held != nil else { return try give(event, label, line, time, sink) }
    held?.append(.event(event, label: label, line: line, time: time))
    heldBytes += event.byteCount
    learnAccount(from: event)
    let count = held?.count ?? 0
    guard
      confirmed + denied >= Self.sufficient || count >= Self.maximumHeld
        || heldBytes > Self.maximumHeldBytes
    else { return }
    try decide(sink)
  }

  /// Takes a problem, which keeps its place among the elements.
  mutating func take(_ problem: CaptureProblem, _ sink: Sink) throws {
    if held != nil { held?.append(.problem(problem)) } else { try sink(.problem(problem)) }
  }

  /// Hands over what waits, if anything does.
  mutating func decide(_ sink: Sink) throws {
    guard let waiting = held, !waiting.isEmpty else { return }
    held = nil
    if account == nil { learnAccount(fromAddressesOf: waiting) }
    for entry in waiting {
      switch entry {
      case .problem(let problem): try sink(.problem(problem))
      case .event(let event, let label, let line, let time):
        try give(event, label, line, time, sink)
      }
    }
  }

  private mutating func give(
    _ event: StreamEvent, _ label: DirectionLabel?, _ line: Int, _ time: Int64?, _ sink: Sink
  ) throws {
    learnAccount(from: event)
    let proven = ContentDirection.proven(of: event, account: account)
    let said = label.map { isServer && !$0.namesEnd ? $0.direction.opposite : $0.direction }
    let inferred = guess.direction(of: event, known: proven ?? said)
    let isContradicted = proven != nil && said != nil && proven != said
    let isUnsaid = proven == nil && said == nil && !inferred.isAnswer
    count(event, isDoubtful: isContradicted || isUnsaid, line)
    let head = RecordHead(line: line, direction: inferred.direction, connection: "", time: time)
    try head.give(event, sink)
  }

  private mutating func count(_ event: StreamEvent, isDoubtful: Bool, _ line: Int) {
    guard case .element(let element) = event else { return }
    guessed.elements += 1
    // Whoever acknowledges stanzas, no roster depends on it.
    guard isDoubtful, !element.node.isAcknowledgement else { return }
    guessed.doubtful += 1
    guessed.firstDoubtful = guessed.firstDoubtful ?? line
  }

  // MARK: The account

  private mutating func learnAccount(from event: StreamEvent) {
    guard case .element(let element) = event, let login = LoginResult(element.node) else { return }
    account = login.jid?.bare ?? account
  }

  /// Before a login is seen, the account is whom the server sends stanzas to.
  private mutating func learnAccount(fromAddressesOf waiting: [Held]) {
    var bare: BareJID?
    for case .event(let event, let label, _, _) in waiting {
      guard case .element(let element) = event,
        element.node.name.namespace == Namespace.client,
        let to = element.node.attribute("to").flatMap({ try? JID(parsing: $0.trimmedOfXMLSpace) }),
        to.bare.local != nil
      else { continue }
      let said = label.map { isServer && !$0.namesEnd ? $0.direction.opposite : $0.direction }
      let direction = ContentDirection.proven(of: event) ?? said
      guard direction == .inbound || direction == nil && element.node.attribute("from") != nil
      else { continue }
      if to.resource != nil { return account = to.bare }
      bare = bare ?? to.bare
    }
    account = bare
  }
}

extension StreamEvent {
  /// About what it takes to hold it.
  fileprivate var byteCount: Int {
    switch self {
    case .header(let element), .element(let element): 2 * element.bytes.count
    case .end: 16
    }
  }
}
