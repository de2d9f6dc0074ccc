package import XMPPStanza

/// Brings the two directions of a connection, each recorded by itself, into one order.
///
/// The order within a direction is kept. Between them it follows from what elements say: an answer
/// stands after its request, a choice after the offer, a stanza after the acknowledgement
/// (XEP-0198) that does not count it yet. What answers stands right after what it answers, because
/// programs answer at once; of what is left over, a client's own doings stand as early as can be,
/// so that what the server does in consequence comes after them, but going offline stands last.
///
/// Memory is bounded: what an element is tied to is looked for among the next `window` elements of
/// the other direction. Time is constant for an element, but for the first of each answer to a
/// request for presence, which looks through the window.
package struct StreamInterleaver {
  /// How far an element is looked for.
  private static let window = 4000
  private static let windowBytes = 4 << 20
  /// How many requests without an answer are remembered.
  private static let maximumOpen = 10_000

  private var inbound = Side(.inbound)
  private var outbound = Side(.outbound)
  /// Who has asked to see our presence and has no answer yet.
  private var asking = Recent<String>(limit: maximumOpen)
  /// Who is on the roster and does not see our presence.
  private var blind = Recent<String>(limit: 10 * maximumOpen)
  /// Whom the client has edited or sent a subscription stanza, without a push about them since.
  private var touched = Recent<String>(limit: maximumOpen)
  /// How many inbound elements are to have gone before the next outbound one goes; nil where that
  /// has not been found out yet.
  private var turn: Int?

  /// Whether the server has answered any request of the client.
  package private(set) var hasAnswers = false

  /// An interleaver that has seen nothing.
  package init() {}

  /// The direction of which more has to be taken before the next element can be told; nil where
  /// there is enough.
  package var lacking: Direction? {
    if outbound.isLacking { return .outbound }
    return inbound.isLacking ? .inbound : nil
  }

  /// Takes the next element of a direction.
  package mutating func take(_ record: CapturedRecord, _ direction: Direction) {
    switch direction {
    case .inbound: inbound.take(record)
    case .outbound: outbound.take(record)
    }
  }

  /// Says that a direction has ended.
  package mutating func finish(_ direction: Direction) {
    switch direction {
    case .inbound: inbound.hasEnded = true
    case .outbound: outbound.hasEnded = true
    }
  }

  /// The next element; nil where there is none, or more has to be taken first.
  package mutating func next() -> CapturedRecord? {
    guard lacking == nil else { return nil }
    guard let sent = outbound.first else {
      return inbound.first == nil ? nil : giveInbound()
    }
    guard let received = inbound.first else { return giveOutbound() }
    return isInboundNext(sent, received) ? giveInbound() : giveOutbound()
  }

  // MARK: Order

  private enum Wait {
    case none
    /// It is likely to come later.
    case likely
    case certain
  }

  private mutating func isInboundNext(_ sent: PairedElement, _ received: PairedElement) -> Bool {
    let wait = wait(of: sent)
    guard !waits(received) else {
      // Each waits for the other: ids were used twice, or a part is missing.
      return wait == .certain
    }
    guard wait == .none else { return true }
    if isAnswer(sent) { return false }
    if isExpected(received) { return true }
    return sent.lateness.rawValue > received.lateness.rawValue
  }

  private mutating func wait(of sent: PairedElement) -> Wait {
    if let tie = sent.answers, !inbound.open.contains(tie), inbound.isAhead(tie) {
      if case .request = tie { return .certain }
      return .likely
    }
    if let handled = sent.handled {
      guard let count = inbound.count else { return inbound.isAhead(.counting) ? .likely : .none }
      if handled > count, handled - count <= inbound.stanzasAhead { return .certain }
    }
    guard let request = sent.request, let contact = sent.contact, !asking.contains(contact) else {
      return .none
    }
    let turn = turn ?? placeOfRequest(by: contact, request)
    self.turn = turn
    return inbound.given < turn ? .likely : .none
  }

  /// How many inbound elements go before the client answers a contact: up to its request, where
  /// that comes before any push about the contact and before what the client has yet to cause.
  private func placeOfRequest(by contact: String, _ answer: PairedElement.Request) -> Int {
    // Who has not seen us before shows nothing by not seeing us.
    let shows = answer == .granted || !blind.contains(contact)
    for (offset, element) in inbound.ahead.enumerated() {
      guard !waits(element) else { return 0 }
      guard element.contact == contact else { continue }
      if element.request == .asked { return inbound.given + offset + 1 }
      if shows, element.items.contains(where: { $0 == (contact, answer == .granted) }) { return 0 }
    }
    return 0
  }

  /// Whether an inbound element is the consequence of an outbound one that has not gone yet.
  private func waits(_ received: PairedElement) -> Bool {
    if let tie = received.answers, !outbound.open.contains(tie), outbound.isAhead(tie) {
      return true
    }
    guard let handled = received.handled, let count = outbound.count else { return false }
    return handled > count && handled - count <= outbound.stanzasAhead
  }

  private func isAnswer(_ sent: PairedElement) -> Bool {
    if let tie = sent.answers, inbound.open.contains(tie) { return true }
    if sent.request != nil, let contact = sent.contact, asking.contains(contact) {
      return true
    }
    return sent.handled != nil
  }

  /// Whether what the client has said makes the server say this at once.
  private func isExpected(_ received: PairedElement) -> Bool {
    if let tie = received.answers { return outbound.open.contains(tie) }
    if received.request == nil, let contact = received.contact { return touched.contains(contact) }
    return received.handled != nil || (received.asks != nil && !received.isStanza)
  }

  // MARK: Giving

  private mutating func giveInbound() -> CapturedRecord? {
    if case .request? = inbound.first?.answers, let tie = inbound.first?.answers,
      outbound.open.contains(tie)
    {
      hasAnswers = true
    }
    guard let element = inbound.pop(answering: &outbound) else { return nil }
    for item in element.items {
      if item.seesUs { blind.remove(item.contact) } else { blind.insert(item.contact) }
    }
    if let contact = element.contact {
      if element.request == .asked { asking.insert(contact) } else { touched.remove(contact) }
    }
    return element.record
  }

  private mutating func giveOutbound() -> CapturedRecord? {
    guard let element = outbound.pop(answering: &inbound) else { return nil }
    turn = nil
    // The answer to this begins the count of what the server sends.
    if element.beginsCount { inbound.count = nil }
    if let contact = element.contact {
      touched.insert(contact)
      if element.request != nil { asking.remove(contact) }
    }
    return element.record
  }

  // MARK: A direction

  private struct Side {
    private var elements: PairedElements
    private var queue: [PairedElement] = []
    private var start = 0
    /// Where the window ends, among `queue`.
    private var end = 0
    private var bytesAhead = 0
    private var ties: [PairedElement.Tie: Int] = [:]
    /// How many stanzas stand in the window.
    private(set) var stanzasAhead = 0
    /// How many elements have gone.
    private(set) var given = 0
    /// What has gone and has no answer yet.
    var open = Recent<PairedElement.Tie>(limit: maximumOpen)
    /// How many stanzas have gone since counting began; nil while nobody counts.
    var count: Int?
    var hasEnded = false

    init(_ direction: Direction) {
      elements = PairedElements(direction)
    }

    var first: PairedElement? { start < end ? queue[start] : nil }
    var ahead: ArraySlice<PairedElement> { queue[start..<end] }
    var isLacking: Bool { !hasEnded && end == queue.count && !isFull }
    private var isFull: Bool { end - start >= window || bytesAhead > windowBytes }

    func isAhead(_ tie: PairedElement.Tie) -> Bool { ties[tie] != nil }

    mutating func take(_ record: CapturedRecord) {
      queue.append(elements.element(record))
      fill()
    }

    private mutating func fill() {
      while end < queue.count, !isFull {
        let element = queue[end]
        end += 1
        bytesAhead += element.bytes
        if element.isStanza { stanzasAhead += 1 }
        if let tie = element.asks { ties[tie, default: 0] += 1 }
      }
    }

    mutating func pop(answering other: inout Side) -> PairedElement? {
      guard let element = first else { return nil }
      start += 1
      given += 1
      bytesAhead -= element.bytes
      if element.isStanza {
        stanzasAhead -= 1
        count = count.map { $0 + 1 }
      }
      if element.beginsCount { count = 0 }
      if let tie = element.asks {
        ties[tie] = ties[tie].flatMap { $0 > 1 ? $0 - 1 : nil }
        open.insert(tie)
      }
      if let tie = element.answers, !tie.isOfStanza { other.open.remove(tie) }
      if start > 2 * window {
        queue.removeFirst(start)
        end -= start
        start = 0
      }
      fill()
      return element
    }
  }
}

extension PairedElement.Tie {
  /// Whether a stanza comes back, which it may do more than once.
  fileprivate var isOfStanza: Bool {
    if case .stanza = self { return true }
    return false
  }
}

/// A set that forgets what was put in first.
private struct Recent<Element: Hashable> {
  private var elements: [Element: Int] = [:]
  private var order: [(element: Element, number: Int)] = []
  private var number = 0
  private let limit: Int

  init(limit: Int) {
    self.limit = limit
  }

  func contains(_ element: Element) -> Bool { elements[element] != nil }

  mutating func insert(_ element: Element) {
    number += 1
    elements[element] = number
    order.append((element, number))
    guard order.count > 2 * limit else { return }
    for old in order.prefix(limit) where elements[old.element] == old.number {
      elements[old.element] = nil
    }
    order.removeFirst(limit)
  }

  mutating func remove(_ element: Element) { elements[element] = nil }
}
