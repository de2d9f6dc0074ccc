import Foundation
@testable import Rollcall
import TestSupport
import Testing

/// An observer of a session receives its state, and then what happens.
@Suite("Watching a session") struct RosterUpdatesTests {
  private func session() throws -> RosterSession {
    let session = RosterSession()
    try session.opened(as: JID(parsing: "alice@example.test/phone"), at: 0)
    return session
  }

  private func pushes(_ numbers: Range<Int>, in session: RosterSession) throws {
    for number in numbers {
      try session.received(
        """
        <iq type='set' id='p\(number)'><query xmlns='jabber:iq:roster'>\
        <item jid='c\(number)@example.test'/></query></iq>
        """.utf8, at: nil)
    }
  }

  /// A summary of an update: the number of contacts, and the number of missed steps if it is a
  /// snapshot.
  private struct Told: Equatable {
    var contacts: Int
    var missed: Int?

    init(_ contacts: Int, missed: Int? = nil) { (self.contacts, self.missed) = (contacts, missed) }

    init(_ update: RosterUpdate) {
      contacts = update.roster.entries.count
      if case .snapshot(_, let missed) = update { self.missed = missed }
    }
  }

  private func told(_ updates: RosterUpdates) async -> [Told] {
    var told: [Told] = []
    for await update in updates { told.append(Told(update)) }
    return told
  }

  @Test("The first update is the current roster, followed by each step that changed something")
  func order() async throws {
    var session: RosterSession? = try session()
    try session.map { try pushes(0..<2, in: $0) }
    let updates = try #require(session?.updates())
    try session.map { session in
      try pushes(2..<4, in: session)
      // This changes nothing.
      try session.received("<message><body>hi</body></message>".utf8, at: nil)
    }
    session = nil
    #expect(await told(updates) == [Told(2, missed: 0), Told(3), Told(4)])
  }

  @Test(
    "A slow observer receives the number of missed steps, and the roster",
    arguments: [1, 2, 5, 100])
  func slow(_ limit: Int) async throws {
    var session: RosterSession? = try session()
    let updates = try #require(session?.updates(limit: limit))
    try session.map { try pushes(0..<10, in: $0) }
    var iterator = updates.makeAsyncIterator()
    var seen = 0
    if limit < 11 {
      let first = await iterator.next().map { Told($0) }
      // After too many steps, one roster replaces all that have come since.
      #expect(first == Told(10, missed: 10))
      seen = 10
    }
    try session.map { try pushes(10..<11, in: $0) }
    session = nil
    while let update = await iterator.next() {
      let now = Told(update)
      #expect(now.contacts >= seen)
      seen = now.contacts
    }
    #expect(seen == 11)
  }

  @Test("A waiting observer receives updates as they happen, and stops with its task")
  func waiting() async throws {
    let session = try session()
    let (updates, other) = (session.updates(), session.updates())
    let quick = Task { () -> Int in
      for await update in other where update.roster.entries.count == 1 { return 1 }
      return 0
    }
    let (began, beginning) = AsyncStream<Void>.makeStream()
    let watcher = Task { () -> [Told] in
      var told: [Told] = []
      for await update in updates {
        told.append(Told(update))
        beginning.yield()
      }
      return told
    }
    for await _ in began { break }
    // It is waiting for more, or is about to.
    watcher.cancel()
    #expect(await watcher.value == [Told(0, missed: 0)])
    try pushes(0..<1, in: session)
    #expect(await quick.value == 1)
  }

  @Test("A state of the connection takes no place among the steps that wait")
  func connection() async throws {
    let session = try session()
    let step = try #require(
      try session.received(
        "<iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='c@x'/></query></iq>".utf8,
        at: nil
      ).first)
    let hub = UpdateHub()
    var updates = hub.watch(from: Roster(), limit: 1).makeAsyncIterator()
    var screens = ScreenUpdates(
      hub.watch(from: Roster(), limit: 1, connection: 1), SectionPolicy()
    ) { _, state in state as? Int }.makeAsyncIterator()
    _ = await updates.next()
    _ = await screens.next()
    for state in [2, 3] { hub.tell(connection: state) }
    hub.tell(.step(step, session.roster))
    hub.tell(connection: 4)
    hub.close()
    #expect(await updates.next().map { Told($0) } == Told(1))
    #expect(await updates.next() == nil)
    let screen = await screens.next()
    #expect(screen?.connection == 4 && screen?.roster.itemCount == 1)
    #expect(screen?.changes?.isEmpty == true, "no step was missed")
    #expect(await screens.next() == nil)
  }

  @Test("There is one iterator: another one ends at once, and takes no updates")
  func oneIterator() async throws {
    let session = try session()
    let (updates, screens) = (session.updates(), session.screens())
    var first = updates.makeAsyncIterator()
    var second = updates.makeAsyncIterator()
    #expect(await second.next() == nil)
    #expect(await first.next().map { Told($0) } == Told(0, missed: 0))
    var firstScreens = screens.makeAsyncIterator()
    var secondScreens = screens.makeAsyncIterator()
    #expect(await secondScreens.next() == nil)
    #expect(await firstScreens.next() != nil)
    try pushes(0..<1, in: session)
    #expect(await second.next() == nil)
    #expect(await first.next().map { Told($0) } == Told(1))
  }

  @Test("Updates that are requested after the end consist of the roster")
  func afterTheEnd() async throws {
    let session = try session()
    try session.close()
    var updates = session.updates().makeAsyncIterator()
    #expect(await updates.next()?.roster.itemCount == session.roster.itemCount)
    #expect(await updates.next() == nil)
    var screens = session.screens().makeAsyncIterator()
    #expect(await screens.next() != nil)
    #expect(await screens.next() == nil)
  }
}
