import Foundation
import Rollcall
@testable import RosterClient
import TestSupport
import Testing
import XMPPStanza

/// Uploads to a host that does whatever a test wants, with a scripted server that names it.
@Suite(
  "Uploads", .timeLimit(.minutes(5)), .enabled(if: Certificates.isPossible, "openssl is needed"))
struct UploadTests {
  private typealias Words = LoginScript
  private typealias Turn = ScriptedServer.Turn

  private static let bob = JID(prepared: BareJID(prepared: "bob@example.test"), resource: nil)
  private static let picture = OutgoingFile(SentMedia.picture, name: "/home/alice/a.png")
  /// A certificate for the server and for the host.
  private static let both = Result { try Certificates(for: ["example.test", "localhost"]) }
  private static let noContent = "Content-Length: 0\r\n\r\n"

  private static func answer(
    to query: String, from address: String = "example.test", _ content: String
  ) -> Turn {
    Turn(heard: query, said: "") { heard in
      "<iq type='result' id='\(Words.id(heard, before: query))' from='\(address)'>\(content)</iq>"
    }
  }

  /// The server itself takes files of up to 1000 bytes.
  private static let offer = answer(
    to: "<query xmlns=\"http://jabber.org/protocol/disco#info\"",
    """
    <query xmlns='http://jabber.org/protocol/disco#info'>\
    <feature var='urn:xmpp:http:upload:0'/><x xmlns='jabber:x:data' type='result'>\
    <field var='FORM_TYPE'><value>urn:xmpp:http:upload:0</value></field>\
    <field var='max-file-size'><value>1000</value></field></x></query>
    """)

  private static func slot(_ port: Int) -> Turn {
    answer(
      to: "<request xmlns=\"urn:xmpp:http:upload:0\"",
      """
      <slot xmlns='urn:xmpp:http:upload:0'><put url='https://localhost:\(port)/4a77/a.png?s=1'>\
      <header name='Authorization'>Basic Zm9vYmFy</header><header name='Host'>evil.test</header>\
      </put><get url='https://localhost:\(port)/4a77/a.png'/></slot>
      """)
  }

  private func error(_ body: () async throws(LiveError) -> Void) async -> LiveError? {
    do throws(LiveError) { try await body() } catch { return error }
    return nil
  }

  /// The error of an upload to a host, and what the host has heard.
  private func upload(
    to turns: [Turn], of certificates: Certificates? = nil, pause: Int64 = 30_000,
    file: OutgoingFile = picture
  ) async throws -> (error: LiveError?, heard: [String]) {
    let both = try Self.both.get()
    let host = try ScriptedServer(
      [turns],
      ScriptedServer.Security(context: (certificates ?? both).context(), isDirect: true))
    var attack = try Attack(Words.online + [Words.roster(), Self.offer, Self.slot(host.port)])
    attack.certificates = both
    attack.timeouts.upload = pause
    nonisolated(unsafe) var found: LiveError?
    _ = try await attack.run { session in
      found = await error { () throws(LiveError) in _ = try await session.upload(file) }
      let records = try Recorded(#require(await session.timeline())).records
      #expect(!records.contains { $0.text.contains("Zm9vYmFy") })
      await session.close()
    }
    return (found, try await host.heard)
  }

  @Test("A file is sent to the address that was granted, and then shared in a message")
  func taken() async throws {
    let both = try Self.both.get()
    let host = try ScriptedServer(
      [[Turn(heard: "IEND", said: "HTTP/1.1 201 Created\r\n" + Self.noContent)]],
      ScriptedServer.Security(context: both.context(), isDirect: true))
    var attack = try Attack(
      Words.online + [
        Words.roster(), Self.offer, Self.slot(host.port), Turn(heard: "</message>", said: ""),
      ])
    attack.certificates = both
    let result = try await attack.run { session in
      let message = try await session.send(Self.picture, to: Self.bob)
      #expect(message.file?.url == "https://localhost:\(host.port)/4a77/a.png")
      await session.close()
    }
    let heard = try await host.heard
    #expect(heard.count == 1)
    let request = try #require(heard.first)
    #expect(request.hasPrefix("PUT /4a77/a.png?s=1 HTTP/1.1\r\n"))
    for field in [
      "Host: localhost:\(host.port)", "Content-Type: image/png",
      "Content-Length: \(SentMedia.picture.count)", "Authorization: Basic Zm9vYmFy",
    ] {
      #expect(request.contains("\r\n\(field)\r\n"), "\(request)")
    }
    #expect(!request.contains("evil.test"))
    #expect(request.hasSuffix(String(decoding: SentMedia.picture, as: UTF8.self)))
    let said = result.heard.joined()
    #expect(said.contains("filename=\"a.png\" size=\"67\" content-type=\"image/png\""))
    #expect(
      said.contains("<x xmlns=\"jabber:x:oob\"><url>https://localhost:\(host.port)/4a77/a.png"))
  }

  /// What a host answers, and the failure that it amounts to.
  private static let refusals: [(String, UploadFailure)] = [
    ("HTTP/1.1 413 Content Too Large\r\n" + noContent, .tooLarge(size: 67, limit: nil)),
    ("HTTP/1.1 403 Forbidden\r\n" + noContent, .refused(host: "localhost", status: 403)),
    (
      "HTTP/1.1 500 Internal Server Error\r\n" + noContent, .refused(host: "localhost", status: 500)
    ),
    (
      "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://localhost:1/\r\n" + noContent,
      .redirected(host: "localhost")
    ),
    ("no HTTP at all\r\n\r\n", .lost(host: "localhost", reason: "its answer is not of HTTP")),
  ]

  @Test("A refusal is named, and no redirection is followed", arguments: refusals.indices)
  func refused(_ index: Int) async throws {
    let (answer, failure) = Self.refusals[index]
    let result = try await upload(to: [Turn(heard: "IEND", said: answer)])
    #expect(result.error == .upload(failure))
    #expect(result.heard.count == 1)
  }

  @Test("A connection that is closed without an answer is a failure")
  func closed() async throws {
    let result = try await upload(to: [Turn(heard: "IEND", said: "", closes: true)])
    #expect(result.error == .upload(.lost(host: "localhost", reason: "it was closed")))
  }

  @Test("A host that does not answer is given up")
  func slow() async throws {
    let result = try await upload(to: [], pause: 100)
    #expect(result.error == .upload(.timeout(host: "localhost")))
  }

  @Test("Nothing is sent to a host whose certificate is from no one we trust")
  func untrusted() async throws {
    let foreign = try await upload(to: [], of: Certificates(for: ["localhost"]))
    guard case .upload(.certificate(host: "localhost", .untrusted))? = foreign.error else {
      Issue.record("\(foreign.error as Any)")
      return
    }
    #expect(foreign.heard.joined() == "")
  }

  @Test("Nothing is sent to a host whose certificate is for another name")
  func otherName() async throws {
    // The server's own certificate is not for its host.
    let usual = try Certificates.usual.get()
    let host = try ScriptedServer(
      [[]], ScriptedServer.Security(context: usual.context(), isDirect: true))
    let attack = try Attack(Words.online + [Words.roster(), Self.offer, Self.slot(host.port)])
    _ = try await attack.run { session in
      let error = await error { () throws(LiveError) in _ = try await session.upload(Self.picture) }
      guard case .upload(.certificate(host: "localhost", .otherNames))? = error else {
        Issue.record("\(error as Any)")
        return
      }
      await session.close()
    }
    #expect(try await host.heard.joined() == "")
  }

  @Test("A host that cannot be reached is named")
  func unreachable() async throws {
    let port = try freePort()
    var attack = try Attack(Words.online + [Words.roster(), Self.offer, Self.slot(port)])
    attack.certificates = try Self.both.get()
    _ = try await attack.run { session in
      let error = await error { () throws(LiveError) in _ = try await session.upload(Self.picture) }
      guard case .upload(.unreachable(host: "localhost", _))? = error else {
        Issue.record("\(error as Any)")
        return
      }
      await session.close()
    }
  }

  @Test("A file that is empty or larger than the service takes is not announced")
  func size() async throws {
    let attack = try Attack(Words.online + [Words.roster(), Self.offer])
    let result = try await attack.run { session in
      for (count, failure) in [
        (0, UploadFailure.empty), (1001, .tooLarge(size: 1001, limit: 1000)),
      ] {
        let file = OutgoingFile([UInt8](repeating: 7, count: count), name: "a")
        let error = await error { () throws(LiveError) in _ = try await session.upload(file) }
        #expect(error == .upload(failure))
      }
      await session.close()
    }
    #expect(!result.heard.joined().contains("<request"))
  }

  @Test("A service that gives no place says why")
  func noSlot() async throws {
    let attack = try Attack(
      Words.online + [
        Words.roster(), Self.offer,
        Turn(heard: "<request xmlns=\"urn:xmpp:http:upload:0\"", said: "") { heard in
          let id = Words.id(heard, before: "<request ")
          return """
            <iq type='error' id='\(id)' from='example.test'><error type='wait'>\
            <resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
            <text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>quota reached</text></error></iq>
            """
        },
      ])
    _ = try await attack.run { session in
      let error = await error { () throws(LiveError) in _ = try await session.upload(Self.picture) }
      let reason = StanzaError(
        type: "wait", condition: "resource-constraint", text: "quota reached")
      #expect(error == .upload(.slotRefused(reason)))
      await session.close()
    }
  }

  @Test("A server without such a service says so")
  func notOffered() async throws {
    let info = "<query xmlns=\"http://jabber.org/protocol/disco#info\""
    let attack = try Attack(
      Words.online + [
        Words.roster(),
        Self.answer(to: info, "<query xmlns='http://jabber.org/protocol/disco#info'/>"),
        Self.answer(
          to: "<query xmlns=\"http://jabber.org/protocol/disco#items\"",
          """
          <query xmlns='http://jabber.org/protocol/disco#items'><item jid='a.example.test'/></query>
          """),
        Self.answer(
          to: info, from: "a.example.test", "<query xmlns='http://jabber.org/protocol/disco#info'/>"
        ),
      ])
    _ = try await attack.run { session in
      let error = await error { () throws(LiveError) in _ = try await session.upload(Self.picture) }
      #expect(error == .upload(.notOffered))
      await session.close()
    }
  }

  @Test("A cancelled task ends the upload and its connection")
  func cancelled() async throws {
    let both = try Self.both.get()
    let host = try ScriptedServer(
      [[]], ScriptedServer.Security(context: both.context(), isDirect: true))
    var attack = try Attack(Words.online + [Words.roster(), Self.offer, Self.slot(host.port)])
    attack.certificates = both
    _ = try await attack.run { session in
      let task = Task {
        await error { () throws(LiveError) in _ = try await session.upload(Self.picture) }
      }
      try await host.hears("IEND")
      task.cancel()
      #expect(await task.value == .failure(.cancelled))
      await session.close()
    }
    #expect(try await host.heard.count == 1)
  }

  @Test("A closed session ends the upload and its connection")
  func sessionClosed() async throws {
    let both = try Self.both.get()
    let host = try ScriptedServer(
      [[]], ScriptedServer.Security(context: both.context(), isDirect: true))
    var attack = try Attack(Words.online + [Words.roster(), Self.offer, Self.slot(host.port)])
    attack.certificates = both
    _ = try await attack.run { session in
      let task = Task {
        await error { () throws(LiveError) in _ = try await session.upload(Self.picture) }
      }
      try await host.hears("IEND")
      await session.close()
      #expect(await task.value == .failure(.over))
      #expect(await session.uploads.isEmpty)
    }
    #expect(try await host.heard.count == 1)
  }

  @Test("A session that is closed while it looks for the service ends the upload")
  func closedBefore() async throws {
    let turns = Words.online + [Words.roster(), Turn(heard: "</stream", said: "</stream:stream>")]
    _ = try await Attack(turns).run { session in
      let task = Task {
        await error { () throws(LiveError) in _ = try await session.upload(Self.picture) }
      }
      while await session.pendingRequests.isEmpty { await Task.yield() }
      await session.close()
      #expect(await task.value == .failure(.over))
    }
  }

  private static let info = "<query xmlns=\"http://jabber.org/protocol/disco#info\""

  /// A server that takes no files itself, and has two other services.
  private static let twoServices = [
    answer(to: info, "<query xmlns='http://jabber.org/protocol/disco#info'/>"),
    answer(
      to: "<query xmlns=\"http://jabber.org/protocol/disco#items\"",
      """
      <query xmlns='http://jabber.org/protocol/disco#items'><item jid='a.example.test'/>\
      <item jid='b.example.test'/></query>
      """),
  ]

  @Test(
    "A connection that is lost during the lookup does not mean that nothing takes files",
    arguments: 0...2)
  func lostLookup(_ answers: Int) async throws {
    let next = answers == 1 ? "disco#items" : "disco#info"
    let attack = try Attack(
      Words.online + [Words.roster()] + Self.twoServices.prefix(answers) + [
        Turn(heard: next, said: "", closes: true)
      ], Words.last)
    _ = try await attack.run { session in
      let error = await error { () throws(LiveError) in _ = try await session.upload(Self.picture) }
      guard case .failure(let failure)? = error, !failure.isFinal else {
        Issue.record("\(error as Any)")
        return
      }
      await session.waitUntilEnded()
    }
  }

  @Test("A service that does not say what it does may be the one that takes files")
  func silentService() async throws {
    let refusal = Turn(heard: "to=\"a.example.test\"", said: "") { heard in
      let head = heard.components(separatedBy: "to=\"a.example.test\" id=\"").last ?? ""
      let id = head.prefix { $0 != "\"" }
      return """
        <iq type='error' id='\(id)' from='a.example.test'><error type='cancel'>\
        <service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
        """
    }
    let attack = try Attack(Words.online + [Words.roster()] + Self.twoServices + [refusal])
    _ = try await attack.run { session in
      let task = Task {
        await error { () throws(LiveError) in _ = try await session.upload(Self.picture) }
      }
      while await !session.waitsOnly(for: "b.example.test") { await Task.yield() }
      await session.makeRequestsOverdue()
      #expect(await task.value == .timeout)
      await session.close()
    }
  }

  // MARK: The message

  @Test("A correction asks for the same signs as the message", arguments: 0..<4)
  func corrected(_ index: Int) {
    var message = ChatMessage("Hi", to: Self.bob, id: "first")
    (message.requestsReceipt, message.isMarkable) = (index & 1 == 0, index & 2 == 0)
    var correction = message
    for version in ["second", "third"] {
      correction = correction.corrected(to: "Hello", id: version)
      #expect(correction.requestsReceipt == message.requestsReceipt)
      #expect(correction.isMarkable == message.isMarkable)
      let element = correction.element
      #expect(element.hasChild("request", in: "urn:xmpp:receipts") == message.requestsReceipt)
      #expect(element.hasChild("markable", in: "urn:xmpp:chat-markers:0") == message.isMarkable)
      #expect(
        element.child("replace", in: "urn:xmpp:message-correct:0")?.attribute("id") == "first")
    }
  }

  @Test("The message describes the file for old clients and new ones")
  func message() {
    let file = SharedFile(
      OutgoingFile(SentMedia.recording, name: "x/y.amr"), at: "https://a.test/y")
    #expect(file.name == "y.amr" && file.mediaType == "audio/amr" && file.size == 656)
    var message = ChatMessage("", to: Self.bob, id: "i")
    message.file = file
    (message.requestsReceipt, message.isMarkable) = (false, false)
    let element = message.element
    #expect(element.child("body", in: "jabber:client")?.text == "https://a.test/y")
    #expect(element.hasChild("fallback", in: "urn:xmpp:fallback:0"))
    let sharing = element.child("file-sharing", in: "urn:xmpp:sfs:0")
    let facts = sharing?.child("file", in: "urn:xmpp:file:metadata:0")
    #expect(facts?.child("length", in: "urn:xmpp:file:metadata:0")?.text == "1000")
    #expect(facts?.child("size", in: "urn:xmpp:file:metadata:0")?.text == "656")
    // Beside a text there is nothing to hide.
    message.text = "listen"
    #expect(message.element.child("body", in: "jabber:client")?.text == "listen")
    #expect(!message.element.hasChild("fallback", in: "urn:xmpp:fallback:0"))
  }
}

extension LiveSession {
  /// Whether the only request without an answer is to this address.
  fileprivate func waitsOnly(for address: String) -> Bool {
    let stanzas = pendingRequests.values.flatMap(\.stanzas)
    return pendingRequests.count == 1
      && stanzas.contains { String(decoding: $0, as: UTF8.self).contains(address) }
  }
}
