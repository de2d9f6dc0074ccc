import Foundation
import Rollcall
import TestSupport
import Testing

/// What is in the folder of a spool.
struct Spool {
  let folder: String
  let files: [String]
  let text: String
  let lines: [[String: Any]]

  init(_ folder: String) throws {
    self.folder = folder
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    // A run of the server is named at random; the segments are numbered across runs.
    files = names.sorted { ($0.suffix(12), $0) < ($1.suffix(12), $1) }.map { "\(folder)/\($0)" }
    let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
    text = texts.joined()
    // The last line of a segment may be incomplete.
    lines = texts.flatMap { $0.split(separator: "\n") }.compactMap { line in
      try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
  }

  /// The runs of the server in the spool, each once.
  var boots: Set<String> { Set(lines.compactMap { $0["boot"] as? String }) }

  private func lines(of account: BareJID) -> [[String: Any]] {
    lines.filter { $0["a"] as? String == account.text }
  }

  func streams(of account: BareJID) -> [String] {
    lines(of: account).compactMap { $0["stream"] as? String }
  }

  func elements(of account: BareJID) -> [String] {
    lines(of: account).filter { $0["dir"] != nil }.compactMap { $0["xml"] as? String }
  }

  func said(by account: BareJID) -> [Said] {
    lines(of: account).compactMap { line in
      guard let direction = line["dir"] as? String else { return nil }
      return Said(isSent: direction == "out", line["xml"] as? String ?? "")
    }
  }
}

extension Stage {
  /// Checks that the account's roster according to the spool is the one that the server stores.
  func checkSpooledRoster(of user: String) throws {
    let account = try jid(user)
    let run = try Program("state", server.spool, "--account", account.text, "--json")
    #expect(run.code == 0, "\(run.errors)")
    let document = try run.document
    #expect(document["complete"] as? Bool == true)
    let items = document["items"] as? [NSDictionary] ?? []
    let contacts = items.map { item in
      (
        item["jid"] as? String ?? "",
        StoredContact(
          name: item["name"] as? String ?? "",
          subscription: item["subscription"] as? String ?? "",
          isPending: item["ask"] as? String == "subscribe",
          groups: Set(item["groups"] as? [String] ?? []))
      )
    }
    let stored = try server.stored(account)
    let own = Dictionary(contacts) { $1 }.filter { jid, contact in
      server.distinguishesRequests || stored.contacts[jid] != nil
        || contact.subscription != "none"
    }
    #expect(own == stored.contacts, "\(user)")
    let incoming = (document["requests"] as? NSDictionary)?["incoming"] as? [NSDictionary] ?? []
    #expect(Set(incoming.compactMap { $0["jid"] as? String }) == stored.requests, "\(user)")
  }

  /// Reads the server's spool until nothing is missing.
  func settledSpool(_ missing: (Spool) async throws -> String?) async throws -> Spool {
    var found = try Spool(server.spool)
    let difference = try await settled {
      found = try Spool(server.spool)
      return try await missing(found)
    }
    #expect(difference == nil)
    return found
  }
}
