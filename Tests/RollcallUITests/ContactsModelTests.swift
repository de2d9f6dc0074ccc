import ContactSections
import Observation
import Rollcall
import RollcallUI
import RosterCore
import Synchronization
import Testing
import XMPPStanza

@Suite("The contacts screen for SwiftUI", .timeLimit(.minutes(5)))
@MainActor struct ContactsModelTests {
  private let session = RosterSession()

  private func push(_ items: String, id: Int) throws {
    try session.received(
      "<iq type='set' id='p\(id)'><query xmlns='jabber:iq:roster'>\(items)</query></iq>".utf8,
      at: nil)
  }

  /// Whether reading a value of the model leads to another drawing when an update is shown.
  private func isDrawnAgain(
    _ model: ContactsModel<Bool>, for update: ScreenUpdate<Bool>,
    _ read: (ContactsModel<Bool>) -> Void
  ) -> Bool {
    let isChanged = Atomic(false)
    withObservationTracking {
      read(model)
    } onChange: {
      isChanged.store(true, ordering: .relaxed)
    }
    model.show(update)
    return isChanged.load(ordering: .relaxed)
  }

  @Test("It shows the rows, the badge and the connection of one moment")
  func moment() async throws {
    let model = ContactsModel<Bool>()
    #expect(model.connection == nil && model.sections.isEmpty && model.search("b").isEmpty)
    var updates = session.screens().makeAsyncIterator()
    model.show(try #require(await updates.next()))
    #expect(model.connection == false)
    try session.opened(as: JID(parsing: "me@example.test/phone"), at: nil)
    model.show(try #require(await updates.next()))
    #expect(model.connection == true)
    try push("<item jid='bo@example.test' name='Bo' subscription='both'/>", id: 1)
    model.show(try #require(await updates.next()))
    #expect(model.sections.map(\.indexTitle) == [nil, "B"])
    #expect(model.search("b").map(\.displayName) == ["Bo"])
    #expect(model.roster == session.roster)
  }

  @Test("A view is drawn again only for what it has read and has changed")
  func observation() async throws {
    let model = ContactsModel<Bool>()
    var updates = session.screens().makeAsyncIterator()
    model.show(try #require(await updates.next()))
    try session.opened(as: JID(parsing: "me@example.test/phone"), at: nil)
    let opened = try #require(await updates.next())
    #expect(!isDrawnAgain(model, for: opened) { _ = $0.sections })
    try session.received("<presence type='subscribe' from='eve@example.test'/>".utf8, at: nil)
    let asked = try #require(await updates.next())
    #expect(isDrawnAgain(model, for: asked) { _ = $0.unseenCount })
    #expect(model.unseenCount == 1)
    try session.annotate(.requestsSeen(session.roster.unseenRequests), at: nil)
    let seen = try #require(await updates.next())
    #expect(!isDrawnAgain(model, for: seen) { _ = $0.connection })
    #expect(model.unseenCount == 0)
  }

  @Test("Rows that a skipped update has are shown with the next one")
  func skipped() async throws {
    let model = ContactsModel<Bool>()
    var updates = session.screens().makeAsyncIterator()
    model.show(try #require(await updates.next()))
    try session.opened(as: JID(parsing: "me@example.test/phone"), at: nil)
    model.show(try #require(await updates.next()))
    try push("<item jid='bo@example.test' name='Bo' subscription='both'/>", id: 1)
    let rows = try #require(await updates.next())
    #expect(rows.changes?.isEmpty == false)
    try session.closed(at: nil)
    let connection = try #require(await updates.next())
    #expect(connection.changes?.isEmpty == true)
    model.show(connection)
    #expect(model.sections == rows.sections)
  }

  @Test("It ends with the session")
  func end() async throws {
    let model = ContactsModel<Bool>()
    let updates = session.screens()
    try push("<item jid='bo@example.test' name='Bo' subscription='both'/>", id: 1)
    try session.close()
    await model.follow(updates)
    #expect(model.sections.count == 2)
  }
}
