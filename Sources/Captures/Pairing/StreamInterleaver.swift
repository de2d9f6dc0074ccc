package import XMPPStanza

/// Merges the two directions of a connection, each recorded separately, into one order.
///
/// The order within a direction is kept. The order between them follows from the content: an answer
/// comes after its request, a choice after the offer, a stanza after the acknowledgement (XEP-0198)
/// that does not count it yet. An answer comes right after its request, because programs answer at
/// once. Otherwise the client's own actions come as early as possible, so that the server's
/// reactions come after them; only going offline comes last.
///
/// Memory is bounded: the partner of an element is searched for among the next `window` elements of
/// the other direction. Complexity: constant per element, but each answer to a request for presence
/// searches the window once.
package struct StreamInterleaver {
  /// The number of elements among which a partner is searched for.
  private static let window = 4000
  private static let windowBytes = 4 << 20
  /// The maximum number of unanswered requests that are remembered.
  private static let maximumOpen = 10_000

  private var inbound = Side(.inbound)
  private var outbound = Side(.outbound)
  /// The contacts that have asked to see our presence and have no answer yet.
  private var requesters = Recent<String>(limit: maximumOpen)
  /// The contacts that are on the roster and do not see our presence.
  private var unseeing = Recent<String>(limit: 10 * maximumOpen)
  /// The contacts that the client edited or sent a subscription stanza, with no push yet.
  private var awaitingPush = Recent<String>(limit: maximumOpen)
  /// The number of inbound elements that precede the next outbound one; nil if not yet known.
  private var precedingInbound: Int?

  /// Whether the server has answered any request of the client.
  package private(set) var hasAnswers = false

  /// An interleaver that has seen nothing.
  package init() {}

  /// The direction of which more is needed to decide on the next element; nil if there is enough.
  package var neededDirection: Direction? {
    if outbound.needsMore { return .outbound }
    return inbound.needsMore ? .inbound : nil
  }

  /// Appends the next element of a direction.
  package mutating func append(_ record: CapturedRecord, _ direction: Direction) {
    switch direction {
    case .inbound: inbound.append(record)
    case .outbound: outbound.append(record)
    }
  }

  /// Marks a direction as complete.
  package mutating func finish(_ direction: Direction) {
    switch direction {
    case .inbound: inbound.hasEnded = true
    case .outbound: outbound.hasEnded = true
    }
  }

  /// Removes and returns the next element; nil if there is none, or more elements are needed first.
  package mutating func next() -> CapturedRecord? {
    guard neededDirection == nil else { return nil }
    guard let sent = outbound.first else {
      return inbound.first == nil ? nil : popInbound()
    }
    guard let received = inbound.first else { return popOutbound() }
    return isInboundNext(sent, received) ? popInbound() : popOutbound()
  }

  // MARK: Order

  private enum Wait {
    case none
    /// It probably belongs later.
    case likely
    case certain
  }

  private mutating func isInboundNext(_ sent: PairedElement, _ received: PairedElement) -> Bool {
    let wait = wait(of: sent)
    guard !isPremature(received) else {
      // Each waits for the other: ids were reused, or a part is missing.
      return wait == .certain
    }
    guard wait == .none else { return true }
    if isAnswer(sent) { return false }
    if isExpected(received) { return true }
    return sent.lateness.rawValue > received.lateness.rawValue
  }

  private mutating func wait(of sent: PairedElement) -> Wait {
    if let tie = sent.answers, !inbound.open.contains(tie), inbound.isUpcoming(tie) {
      if case .request = tie { return .certain }
      return .likely
    }
    if let handled = sent.handled {
      guard let count = inbound.count else {
        return inbound.isUpcoming(.counting) ? .likely : .none
      }
      if handled > count, handled - count <= inbound.upcomingStanzas { return .certain }
    }
    guard let request = sent.request, let contact = sent.contact, !requesters.contains(contact)
    else { return .none }
    let preceding = precedingInbound ?? inboundPreceding(request, to: contact)
    precedingInbound = preceding
    return inbound.emittedCount < preceding ? .likely : .none
  }

  /// The number of inbound elements that precede the client's answer to a contact.
  ///
  /// They end with the contact's request, if that comes before any push about the contact and
  /// before anything that the client has yet to cause.
  private func inboundPreceding(_ answer: PairedElement.Request, to contact: String) -> Int {
    // A refusal has no visible effect on a contact that did not see our presence before.
    let isVisible = answer == .granted || !unseeing.contains(contact)
    for (offset, element) in inbound.upcoming.enumerated() {
      guard !isPremature(element) else { return 0 }
      guard element.contact == contact else { continue }
      if element.request == .asked { return inbound.emittedCount + offset + 1 }
      if isVisible, element.items.contains(where: { $0 == (contact, answer == .granted) }) {
        return 0
      }
    }
    return 0
  }

  /// Whether an inbound element results from an outbound one that has not been emitted yet.
  private func isPremature(_ received: PairedElement) -> Bool {
    if let tie = received.answers, !outbound.open.contains(tie), outbound.isUpcoming(tie) {
      return true
    }
    guard let handled = received.handled, let count = outbound.count else { return false }
    return handled > count && handled - count <= outbound.upcomingStanzas
  }

  private func isAnswer(_ sent: PairedElement) -> Bool {
    if let tie = sent.answers, inbound.open.contains(tie) { return true }
    if sent.request != nil, let contact = sent.contact, requesters.contains(contact) {
      return true
    }
    return sent.handled != nil
  }

  /// Whether what the client sent makes the server send this at once.
  private func isExpected(_ received: PairedElement) -> Bool {
    if let tie = received.answers { return outbound.open.contains(tie) }
    if received.request == nil, let contact = received.contact {
      return awaitingPush.contains(contact)
    }
    return received.handled != nil || (received.asks != nil && !received.isStanza)
  }

  // MARK: Output

  private mutating func popInbound() -> CapturedRecord? {
    if case .request? = inbound.first?.answers, let tie = inbound.first?.answers,
      outbound.open.contains(tie)
    {
      hasAnswers = true
    }
    guard let element = inbound.pop(answering: &outbound) else { return nil }
    for item in element.items {
      if item.seesUs { unseeing.remove(item.contact) } else { unseeing.insert(item.contact) }
    }
    if let contact = element.contact {
      if element.request == .asked {
        requesters.insert(contact)
      } else {
        awaitingPush.remove(contact)
      }
    }
    return element.record
  }

  private mutating func popOutbound() -> CapturedRecord? {
    guard let element = outbound.pop(answering: &inbound) else { return nil }
    precedingInbound = nil
    // The answer to this begins the count of the server's stanzas.
    if element.beginsCount { inbound.count = nil }
    if let contact = element.contact {
      awaitingPush.insert(contact)
      if element.request != nil { requesters.remove(contact) }
    }
    return element.record
  }

  // MARK: A direction

  private struct Side {
    private var elements: PairedElements
    private var queue: [PairedElement] = []
    private var start = 0
    /// The end of the window in `queue`.
    private var end = 0
    private var upcomingBytes = 0
    private var ties: [PairedElement.Tie: Int] = [:]
    /// The number of stanzas in the window.
    private(set) var upcomingStanzas = 0
    /// The number of elements that were emitted.
    private(set) var emittedCount = 0
    /// The ties of emitted elements that have no answer yet.
    var open = Recent<PairedElement.Tie>(limit: maximumOpen)
    /// The number of stanzas emitted since counting began; nil while they are not counted.
    var count: Int?
    var hasEnded = false

    init(_ direction: Direction) {
      elements = PairedElements(direction)
    }

    var first: PairedElement? { start < end ? queue[start] : nil }
    var upcoming: ArraySlice<PairedElement> { queue[start..<end] }
    var needsMore: Bool { !hasEnded && end == queue.count && !isFull }
    private var isFull: Bool { end - start >= window || upcomingBytes > windowBytes }

    func isUpcoming(_ tie: PairedElement.Tie) -> Bool { ties[tie] != nil }

    mutating func append(_ record: CapturedRecord) {
      queue.append(elements.element(record))
      fill()
    }

    private mutating func fill() {
      while end < queue.count, !isFull {
        let element = queue[end]
        end += 1
        upcomingBytes += element.bytes
        if element.isStanza { upcomingStanzas += 1 }
        if let tie = element.asks { ties[tie, default: 0] += 1 }
      }
    }

    mutating func pop(answering other: inout Side) -> PairedElement? {
      guard let element = first else { return nil }
      start += 1
      emittedCount += 1
      upcomingBytes -= element.bytes
      if element.isStanza {
        upcomingStanzas -= 1
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
  /// Whether it is the tie of a stanza, which may be returned more than once.
  fileprivate var isOfStanza: Bool {
    if case .stanza = self { return true }
    return false
  }
}

/// A set that forgets its oldest elements.
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
