/// What few contacts have.
struct ContactDetails: Sendable {
  @Rare var request: ContactRequest?
  @Rare var lastEnded: EndedRequest?
  /// Whether the roster has shown since then that the contact sees our presence.
  var wasTaken = false
  @Rare var outgoing: OutgoingRequest?
  @Rare var names: OwnNames?
  @Rare var annotations: ContactAnnotations?
  var expected = ExpectedCounterparts()
  @Rare var confirmedEdit: ConfirmedEdit?
  /// How its requests and ours open again and again.
  @Rare var rounds: Rounds?
  @Rare var ownRounds: Rounds?
  /// What some sessions are still to be told, in the order in which others were.
  var deliveries: [Delivery] = []
}

/// A part that few of those have that may have it: where there is none, it takes the room of a
/// reference.
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

  /// Whether there is none, without a look at it.
  var isNone: Bool { box == nil }
}
