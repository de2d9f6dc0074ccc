import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import Synchronization
import TestSupport
import Testing

/// The setup of a test: a server, accounts that no other test uses, and a folder for their logs.
struct Stage: Sendable {
  let server: any RealServer
  let domain: String
  let folder: TemporaryFolder
  private let number: Int

  private static let count = Mutex(0)

  /// A stage on the shared server.
  init(_ kind: Servers, _ domain: Domain = .usual) async throws {
    try self.init(on: await SharedServers.all.server(kind), domain)
  }

  init(on server: any RealServer, _ domain: Domain = .usual) throws {
    self.server = server
    self.domain = server.name(of: domain)
    folder = try TemporaryFolder()
    number = Self.count.withLock { count in
      count += 1
      return count
    }
  }

  // MARK: Accounts

  func jid(_ user: String) throws -> BareJID { try BareJID(parsing: "\(user)\(number)@\(domain)") }

  func full(_ user: String) throws -> JID { try JID(parsing: jid(user).text) }

  func log(_ user: String, device: String = "1") -> String {
    folder.file("\(user)-\(device).rollcall")
  }

  func login(_ user: String, isNew: Bool = false, over relay: Relay? = nil) throws -> LiveLogin {
    var login = LiveLogin(account: try jid(user), password: Password("pass of \(user)"))
    login.server = ServerAddress(
      host: "127.0.0.1", port: relay?.port ?? server.port, isDirectTLS: false)
    login.authority = server.certificates.authority
    login.registers = isNew
    return login
  }

  /// A started session; with `isNew`, one that has created its account. Over a relay it reconnects
  /// quickly.
  func session(
    _ user: String, device: String = "1", isNew: Bool = false, over relay: Relay? = nil
  ) async throws -> LiveSession {
    var timeouts = LiveTimeouts()
    if relay != nil {
      (timeouts.reconnection, timeouts.login, timeouts.beat) = (0.01, 3_000, 100)
    }
    return try await session(
      login(user, isNew: isNew, over: relay), recordingTo: log(user, device: device), timeouts)
  }

  func session(
    _ login: LiveLogin, recordingTo path: String?, _ timeouts: LiveTimeouts = LiveTimeouts()
  ) async throws -> LiveSession {
    let session = try LiveSession(
      login, recordingTo: path, limits: SessionLimits(), timeouts: timeouts)
    try await session.start()
    return session
  }

  // MARK: Agreement

  /// Waits until the sessions, their logs and the server agree about each account: the last stanzas
  /// may still be on their way.
  func agree(
    _ sessions: LiveSession..., after what: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await agree(sessions, after: what, sourceLocation: sourceLocation)
  }

  func agree(
    _ sessions: [LiveSession], after what: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for session in sessions {
      let difference = try await settled { try await self.difference(session) }
      if let difference {
        let log = try await session.timeline().map { try Recorded($0).end } ?? "no log"
        Issue.record(
          "\(await session.login.account) after \(what): \(difference)\n\(log)",
          sourceLocation: sourceLocation)
      }
    }
  }

  /// Polls, far longer than any server takes, until there is no difference.
  func settled(_ difference: () async throws -> String?) async throws -> String? {
    var found: String?
    for _ in 0..<1500 {
      found = try await difference()
      if found == nil { return nil }
      try await Task.sleep(for: .milliseconds(20))
    }
    return found
  }

  /// The contacts in the form of a server, without those that the server no longer reports: some do
  /// not distinguish a contact without a subscription that sends a request from an address that
  /// only sends one.
  func reportedContacts(_ roster: Roster, _ stored: StoredRoster) -> [String: StoredContact] {
    let contacts = roster.contactsAsStored
    guard !server.distinguishesRequests else { return contacts }
    return contacts.filter { jid, contact in
      stored.contacts[jid] != nil || !stored.requests.contains(jid)
        || contact.subscription != "none"
    }
  }

  private func difference(_ session: LiveSession) async throws -> String? {
    let account = await session.login.account
    let (stored, roster) = (try server.stored(account), await session.roster)
    let own = reportedContacts(roster, stored)
    guard own == stored.contacts else { return "it has \(own), the server \(stored.contacts)" }
    // It is unknown which requests the server has dropped or another device has answered.
    let open = Set(roster.incoming.map(\.key.text))
    let unsure = Set(roster.unconfirmed.map(\.key.text))
    guard open.isSubset(of: stored.requests), stored.requests.isSubset(of: open.union(unsure))
    else { return "\(open) and perhaps \(unsure) wait, at the server \(stored.requests)" }
    let logged = try? await session.timeline()?.state(at: .head(minus: 0)).roster
    return logged == roster ? nil : "its log has \(logged?.contactsAsStored as Any)"
  }

  /// Waits until a session's roster meets a condition.
  func wait(
    for session: LiveSession, _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: @escaping @Sendable (Roster) -> Bool
  ) async {
    let updates = await session.updates()
    let isSeen = await withTimeout {
      for await update in updates where condition(update.roster) { return true }
      return false
    }
    if isSeen != true {
      Issue.record(
        "\(what): \(await session.failure as Any)", sourceLocation: sourceLocation)
    }
  }

  /// The result of an operation; nil if it takes far longer than any server needs even when all
  /// tests run at once.
  func withTimeout<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value? {
    let (values, hand) = AsyncStream<Value?>.makeStream()
    let tasks = [
      Task<Void, Never> { hand.yield(await body()) },
      Task<Void, Never> {
        try? await Task.sleep(for: .seconds(120))
        hand.yield(nil)
      },
    ]
    defer { for task in tasks { task.cancel() } }
    for await value in values { return value }
    return nil
  }
}

extension Roster {
  /// The contacts in the form in which a server stores them.
  var contactsAsStored: [String: StoredContact] {
    Dictionary(
      uniqueKeysWithValues: entries.map { ($0.key.text, StoredContact($0.value.item)) })
  }
}

extension LiveSession {
  /// Sends a subscription stanza, whether it makes sense or not.
  func tell(_ type: String, _ jid: BareJID) {
    guard machine?.isOnline == true else { return }
    let stanza = XMPPElement.element(
      "presence", "jabber:client", [("type", type), ("to", jid.text)])
    send(stanza.serialized())
    flush()
  }
}
