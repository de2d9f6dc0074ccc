/// Has what events look at brought near a little before they are reduced.
///
/// With thousands of contacts, most events are of one that was not looked at for long: its slot
/// among the addresses, its address and its row would be waited for one after the other. Each of
/// the three is asked for when the one that leads to it is there. It changes nothing but the time,
/// and so nothing says whether an event was looked at.
package struct EventsAhead {
  /// How many events later one is reduced than it is looked at: a power of two, and more than two
  /// steps.
  package static let distance = 8
  /// How many events later what leads on is there.
  private static let step = 3

  /// The contacts of the last events, in a ring.
  private(set) var expected = [ExpectedText](repeating: .none, count: distance)
  private var count = 0

  /// Of no events yet.
  package init() {}

  /// Looks at an event that is to be reduced into a roster, by its stored form; nil where there is
  /// none, which counts as one.
  ///
  /// - Parameter roster: It is not changed: handed over as borrowed it was copied, which costs more
  ///   than is won.
  package mutating func look(at event: RawSpan?, for roster: inout Roster) {
    count &+= 1
    if let event, let contact = StoredEvent.contact(of: event) {
      expected[place(of: 0)] = roster.contacts.expect(address: contact)
    } else {
      expected[place(of: 0)] = .none
    }
    roster.contacts.prefetchRow(&expected[place(of: Self.step)])
    roster.contacts.prefetchAddress(expected[place(of: 2 * Self.step)])
  }

  /// Where in the ring the event is that was looked at so many ago.
  private func place(of age: Int) -> Int { (count &- age) & (Self.distance - 1) }
}
