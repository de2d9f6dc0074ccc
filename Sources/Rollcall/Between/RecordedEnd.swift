package import RosterCore
package import XMPPStanza

/// What the log of one account says, over time, about its subscriptions with one other account.
package struct RecordedEnd: Hashable, Sendable {
  /// The account that the log is of.
  package let account: BareJID
  /// What the roster says, at each record that changes it while the server shows changes.
  package var moments: [Moment] = []
  /// What the account did to the subscriptions, in the order of the records.
  package var acts: [Act] = []
  /// When the log shows every change of the roster: from a whole roster to the end of the session.
  package var spans: [Span] = []
  /// The stanzas between the two accounts, in the order of the records.
  package var traffic: [ExchangedStanza] = []

  package init(account: BareJID) {
    self.account = account
  }

  /// What the roster says about the other account from one record on.
  package struct Moment: Hashable, Sendable {
    package var stamp: RecordStamp
    /// How far our subscription to its presence has come.
    package var ours: PossibleStages
    /// How far its subscription to our presence has come.
    package var theirs: PossibleStages
    /// Whether we block it, so that its server learns nothing more (XEP-0191).
    package var isBlocked: Bool
    /// Whether a fetch of the whole roster shows it, and not a push or a stanza.
    package var isFetched: Bool

    package init(
      stamp: RecordStamp, ours: PossibleStages, theirs: PossibleStages, isBlocked: Bool = false,
      isFetched: Bool = false
    ) {
      self.stamp = stamp
      self.ours = ours
      self.theirs = theirs
      self.isBlocked = isBlocked
      self.isFetched = isFetched
    }

    /// How far a subscription has come in which the account is on a side.
    package func stages(as side: SubscriptionSide) -> PossibleStages {
      side == .subscriber ? ours : theirs
    }
  }

  /// What the account did to a subscription.
  package struct Act: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      case stanza(SubscriptionStanza.Kind)
      /// The contact left the roster, so the server ended both subscriptions (RFC 6121 §2.5.2).
      case removal
    }

    package var stamp: RecordStamp
    package var kind: Kind

    package init(stamp: RecordStamp, kind: Kind) {
      self.stamp = stamp
      self.kind = kind
    }

    /// The stage of the account that this leads to if it is on a side of the subscription; nil if
    /// it does not concern that side.
    package func effect(as side: SubscriptionSide) -> SubscriptionStage? {
      switch (kind, side) {
      case (.removal, _), (.stanza(.unsubscribe), .subscriber), (.stanza(.unsubscribed), .owner):
        SubscriptionStage.none
      case (.stanza(.subscribe), .subscriber): .pending
      case (.stanza(.subscribed), .owner): .active
      case (.stanza(.subscribe), .owner), (.stanza(.unsubscribe), .owner),
        (.stanza(.subscribed), .subscriber), (.stanza(.unsubscribed), .subscriber):
        nil
      }
    }
  }

  /// A stretch of time.
  package struct Span: Hashable, Sendable {
    /// The record that begins it.
    package var first: UInt64
    /// Milliseconds since 1970; nil if the records have no times.
    package var times: ClosedRange<Int64>?

    package init(first: UInt64, times: ClosedRange<Int64>?) {
      self.first = first
      self.times = times
    }
  }

  /// Returns this end with its times by another clock.
  ///
  /// - Parameter offset: The milliseconds by which the clock of the log is ahead.
  package func shifted(by offset: Int64) -> RecordedEnd {
    var end = self
    for index in end.moments.indices { end.moments[index].stamp.shift(by: offset) }
    for index in end.acts.indices { end.acts[index].stamp.shift(by: offset) }
    for index in end.traffic.indices { end.traffic[index].stamp.shift(by: offset) }
    for index in end.spans.indices {
      end.spans[index].times = end.spans[index].times.map {
        $0.lowerBound.shifted(by: offset)...$0.upperBound.shifted(by: offset)
      }
    }
    return end
  }
}

extension RecordStamp {
  fileprivate mutating func shift(by offset: Int64) { time = time?.shifted(by: offset) }
}

extension Int64 {
  /// The time by a clock that is behind by `offset`, within the range of the type.
  package func shifted(by offset: Int64) -> Int64 {
    let (value, isOver) = subtractingReportingOverflow(offset)
    return isOver ? (offset > 0 ? .min : .max) : value
  }
}
