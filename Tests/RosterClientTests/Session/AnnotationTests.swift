import Rollcall
import RosterClient
import TestSupport
import Testing

/// Annotations, which no server keeps, are recorded in the log of a live session.
@Suite("Annotations of a live session") struct LiveAnnotationTests {
  private let bob = BareJID(prepared: "bob@example.test")
  private let login = LiveLogin(
    account: BareJID(prepared: "alice@example.test"), password: Password("qing-chun-7"))

  @Test("They need no connection, and are on disk on return")
  func withoutConnection() async throws {
    let folder = try TemporaryFolder()
    let session = try LiveSession(login, recordingTo: folder.file("a.rollcall"))
    var updates = await session.updates().makeAsyncIterator()
    _ = await updates.next()
    try await session.annotate(.starred(bob, true))
    #expect(await session.roster.annotations[bob]?.isStarred == true)
    #expect(await updates.next()?.roster.annotations[bob]?.isStarred == true)
    // Another reader sees it, while the session is open. The first record says what is kept.
    #expect(try await session.timeline()?.state(at: .head(minus: 0)).roster.position == 2)
    await session.close()
    #expect(await updates.next() == nil)
    let again = try LiveSession(login, recordingTo: folder.file("a.rollcall"))
    #expect(await again.roster.annotations[bob]?.isStarred == true)
    await again.close()
  }

  @Test("A session that is over refuses them with an error")
  func over() async throws {
    let session = try LiveSession(login)
    await session.close()
    await #expect(throws: LiveFailure.self) { try await session.annotate(.starred(bob, true)) }
  }
}
