import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import Synchronization
import TestSupport
import Testing

/// What a test has: a server, accounts that nobody else has there, and a folder for their logs.
struct Stage: Sendable {
  let server: any RealServer
  let domain: String
  let folder: TemporaryFolder
  private let number: Int

  private static let count = Mutex(0)

  /// A stage on the server that all tests share.
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

  /// A session that has begun; with `isNew` it has made its account. Where its network can break,
  /// it does not wait long before it comes again.
  func session(
    _ user: String, device: String = "1", isNew: Bool = false, over relay: Relay? = nil
  ) async throws -> LiveSession {
    var patience = LivePatience()
    if relay != nil {
      (patience.reconnection, patience.login, patience.beat) = (0.01, 3_000, 100)
    }
    return try await session(
      login(user, isNew: isNew, over: relay), recordingTo: log(user, device: device), patience)
  }

  func session(
    _ login: LiveLogin, recordingTo path: String?, _ patience: LivePatience = LivePatience()
  ) async throws -> LiveSession {
    let session = try LiveSession(
      login, recordingTo: path, limits: SessionLimits(), patience: patience)
    try await session.start()
    return session
  }

  // MARK: Agreement

  /// What of each account its sessions, their logs and the server say has to come to be the same:
  /// the last words may be under way.
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

  /// Looks again and again, far longer than any server takes, until there is no difference.
  func settled(_ difference: () async throws -> String?) async throws -> String? {
    var found: String?
    for _ in 0..<1500 {
      found = try await difference()
      if found == nil { return nil }
      try await Task.sleep(for: .milliseconds(20))
    }
    return found
  }

  /// The items, as a server keeps them, without those that it neither pushes nor tells any more:
  /// some do not keep a contact of no subscription who asks apart from somebody who only asks.
  func contactsAsTold(_ roster: Roster, _ stored: StoredRoster) -> [String: StoredContact] {
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
    let own = contactsAsTold(roster, stored)
    guard own == stored.contacts else { return "it has \(own), the server \(stored.contacts)" }
    // What the server dropped or somebody answered unseen, nobody can say.
    let open = Set(roster.incoming.map(\.key.text))
    let unsure = Set(roster.unconfirmed.map(\.key.text))
    guard open.isSubset(of: stored.requests), stored.requests.isSubset(of: open.union(unsure))
    else { return "\(open) and perhaps \(unsure) wait, at the server \(stored.requests)" }
    let logged = try? await session.timeline()?.state(at: .head(minus: 0)).roster
    return logged == roster ? nil : "its log has \(logged?.contactsAsStored as Any)"
  }

  /// Waits until a roster is as it is to be.
  func wait(
    for session: LiveSession, _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
    _ isRight: @escaping @Sendable (Roster) -> Bool
  ) async {
    let updates = await session.updates()
    let isSeen = await inTime {
      for await update in updates where isRight(update.roster) { return true }
      return false
    }
    if isSeen != true {
      Issue.record(
        "\(what): \(await session.failure as Any)", sourceLocation: sourceLocation)
    }
  }

  /// What something comes to; nil where it takes far longer than any server does, also where all
  /// tests run at once: it is not waited for then.
  func inTime<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value? {
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
  /// The items, as a server keeps them.
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
