/// State that most contacts do not have, kept out of the row.
struct ContactDetails: Sendable {
  @Rare var request: ContactRequest?
  @Rare var lastEnded: EndedRequest?
  /// Whether the roster has shown, since that request ended, that the contact sees our presence.
  var endIsConfirmedByRoster = false
  @Rare var outgoing: OutgoingRequest?
  @Rare var lastOutgoingEnd: EndedOutgoing?
  @Rare var names: OwnNames?
  @Rare var annotations: ContactAnnotations?
  var expected = ExpectedCounterparts()
  @Rare var confirmedEdit: ConfirmedEdit?
  @Rare var returnedError: ReturnedError?
  /// How often the contact's requests and ours have been opened again.
  @Rare var rounds: Rounds?
  @Rare var ownRounds: Rounds?
  /// What some sessions have yet to receive, in the order in which other sessions received it.
  var deliveries: [Delivery] = []
}

/// A part that is missing even in most details. A missing part takes only the space of a reference.
@propertyWrapper
struct Rare<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  private var box: Box?

  init(wrappedValue: Value?) {
    box = wrappedValue.map(Box.init)
  }

  init() {
    box = nil
  }

  var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }

  var projectedValue: Self { self }

  /// Whether the part is missing, without reading it.
  var isNone: Bool { box == nil }
}
