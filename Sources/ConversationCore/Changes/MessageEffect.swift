/// What a record did to one message.
package struct MessageEffect: Hashable, Sendable {
  /// The kinds of effect.
  package enum Kind: Hashable, Sendable {
    /// The record showed the message first.
    case began
    /// The record has a copy of the message or of one of its corrections.
    case copied(Route)
    /// The record corrected the message; what it says now may be a later correction.
    case corrected
    case retracted
    /// The record has the reactions of a sender; an empty list withdraws them.
    case reacted(by: String, emojis: [String])
    /// The state of a message of ours is another one.
    case state(DeliveryState)
    /// We have read the conversation up to the message.
    case read

    /// Whether it only shows again what is known.
    package var isCopy: Bool {
      if case .copied = self { true } else { false }
    }
  }

  /// The number of the message.
  package let message: Int
  package let kind: Kind
}

extension Conversations {
  /// Notes what the record that is being reduced does to a message.
  mutating func note(_ kind: MessageEffect.Kind, of message: Int) {
    effects.append(MessageEffect(message: message, kind: kind))
  }
}
