import Foundation
import TestSupport
import Testing

/// Compares a run with the expectations of its case, and returns those that failed.
struct PastedJudge {
  let run: PastedRun

  func failures(of expected: [String: Any]) throws -> [String] {
    let state = try run.run("state", "--json")
    let allowed = (expected["exit"] as? [Int]) ?? (expected["exit"] as? Int).map { [$0] }
    let hasWays = expected["any_of"] != nil
    guard allowed.map({ $0.contains(Int(state.code)) }) ?? (hasWays || state.code == 0) else {
      return ["exit \(state.code): \(state.errors)"]
    }
    return try expected.keys.sorted().flatMap { key -> [String] in
      guard key != "exit", key != "name", let wanted = expected[key] else { return [] }
      return try failure(key, wanted).map { ["\(key): \($0)"] } ?? []
    }
  }

  /// The actual result if it differs from the expectation; nil if it does not.
  private func failure(_ key: String, _ wanted: Any) throws -> String? {
    let texts = (wanted as? [Any] ?? []).map { ($0 as? String)?.lowercased() ?? "null" }
    switch key {
    case "any_of": return try anyOf(wanted as? [[String: Any]] ?? [])
    case "account":
      let account = (try run.document("state")["account"] as? String)?.lowercased()
      return account == (wanted as? String)?.lowercased() ? nil : account ?? "none"
    case "complete":
      let complete = try run.document("state")["complete"] as? Bool
      return complete == wanted as? Bool ? nil : "\(complete ?? false)"
    case "items", "items_include":
      return try items(wanted as? [String: [String: Any]] ?? [:], isAll: key == "items")
    case "incoming", "outgoing", "incoming_include", "outgoing_include":
      return try requests(key, texts)
    case "online_include": return try missing(texts, in: online)
    case "offline":
      let contacts = try Set(online.map { $0.split(separator: "/").first.map(String.init) ?? $0 })
      return contacts.isDisjoint(with: texts) ? nil : "\(contacts)"
    case "accounts", "accounts_include":
      let found = try run.accounts.map { ($0["account"] as? String)?.lowercased() ?? "null" }
      let isRight =
        key == "accounts" ? Set(found) == Set(texts) : Set(texts).isSubset(of: found)
      return isRight ? nil : "\(found)"
    case "connections":
      let count = try connections.count
      return count == wanted as? Int ? nil : "\(count)"
    case "connection_names_include":
      let names = try connections.compactMap { ($0["name"] as? String)?.lowercased() }
      return texts.allSatisfy { text in names.contains { $0.contains(text) } } ? nil : "\(names)"
    case "problems_max":
      let captures = try run.accounts.compactMap { ($0["captures"] as? [[String: Any]])?.first }
      let count = captures.reduce(0) { $0 + ($1["problems"] as? Int ?? 0) }
      return count <= wanted as? Int ?? 0 ? nil : "\(count)"
    default: return try failureOfRecords(key, wanted, texts)
    }
  }

  private func failureOfRecords(_ key: String, _ wanted: Any, _ texts: [String]) throws -> String? {
    switch key {
    case "records_min":
      let count = (try run.document("log")["records"] as? [[String: Any]] ?? []).count {
        ["in", "out"].contains($0["direction"] as? String)
      }
      return count >= wanted as? Int ?? 0 ? nil : "\(count)"
    case "directions":
      let found = try run.stanzas.compactMap { $0["direction"] as? String }
      return found == texts ? nil : "\(found)"
    case "directions_of":
      let stanzas = try run.stanzas
      let wrong = (wanted as? [[String: String]] ?? []).filter { one in
        let found = stanzas.filter { ($0["xml"] as? String)?.contains(one["xml"] ?? "") == true }
        return found.isEmpty || found.contains { $0["direction"] as? String != one["dir"] }
      }
      return wrong.isEmpty ? nil : "\(wrong)"
    case "first_time":
      let records = try run.document("log")["records"] as? [[String: Any]] ?? []
      let time = records.lazy.compactMap { $0["time"] as? String }.first
      return time?.hasPrefix(wanted as? String ?? "") == true ? nil : time ?? "none"
    case "findings_include": return missing(texts, in: try codes)
    case "findings_exclude":
      let found = try codes.filter(texts.contains)
      return found.isEmpty ? nil : "\(found)"
    case "findings_min":
      let count = try codes.count
      return count >= wanted as? Int ?? 0 ? nil : "\(count)"
    case "findings_about":
      let found = try run.findings.compactMap { ($0["contact"] as? String)?.lowercased() }
      return missing(texts, in: found)
    case "findings_at": return try findingsAt(wanted as? [[String: String]] ?? [])
    case "story_includes":
      let story = try run.story
      return texts.first { !story.contains($0) }
    case "story_excludes":
      let story = try run.story
      return texts.first { story.contains($0) }
    case "note_includes":
      let notes = try run.notes.lowercased()
      return texts.first { !notes.contains($0) }
    case "unread":
      let count = wanted as? Int ?? 0
      let notes = try run.notes
      let note = ": \(count) line\(count == 1 ? " was" : "s were") not read"
      return notes.contains(note) ? nil : notes
    case "stderr_includes_any":
      let errors = try run.run("state", "--json").errors.lowercased()
      return texts.contains { errors.contains($0) } ? nil : errors
    default: return "the judge has no such expectation"
    }
  }

  private func anyOf(_ ways: [[String: Any]]) throws -> String? {
    let failures = try ways.map(failures)
    return failures.contains(where: \.isEmpty) ? nil : "\(failures)"
  }

  private func items(_ wanted: [String: [String: Any]], isAll: Bool) throws -> String? {
    let items = try run.document("state")["items"] as? [[String: Any]] ?? []
    for (jid, fields) in wanted {
      guard let item = items.first(where: { $0["jid"] as? String == jid.lowercased() }) else {
        return "\(jid) is missing"
      }
      for (field, value) in fields {
        let isSame = (item[field] as? NSObject) == (value as? NSObject)
        let groups = Set(item[field] as? [String] ?? [])
        let isSameSet = (value as? [String]).map { Set($0) == groups } ?? false
        guard isSame || isSameSet else { return "\(field) of \(jid)" }
      }
    }
    return isAll && items.count != wanted.count ? "\(items.count) items" : nil
  }

  private func requests(_ key: String, _ wanted: [String]) throws -> String? {
    let lists = try run.document("state")["requests"] as? [String: Any] ?? [:]
    let list = lists[String(key.prefix(8))] as? [[String: Any]] ?? []
    let found = Set(list.compactMap { $0["jid"] as? String })
    let isRight = key.count == 8 ? found == Set(wanted) : found.isSuperset(of: wanted)
    return isRight ? nil : "\(found.sorted())"
  }

  private func findingsAt(_ wanted: [[String: String]]) throws -> String? {
    let found = try Set(
      run.findings.flatMap { [$0["record"] as? Int, $0["cause"] as? Int].compactMap { $0 } })
    return try wanted.first { place in
      let records = try run.stanzas.filter {
        ($0["xml"] as? String)?.contains(place["xml"] ?? "") == true
          && $0["direction"] as? String == place["dir"]
      }
      return found.isDisjoint(with: records.compactMap { $0["record"] as? Int })
    }.map { "none at \($0)" }
  }

  private func missing(_ wanted: [String], in found: [String]) -> String? {
    Set(wanted).isSubset(of: found) ? nil : "\(found)"
  }

  private var codes: [String] {
    get throws { try run.findings.compactMap { $0["code"] as? String } }
  }

  private var connections: [[String: Any]] {
    get throws { try run.accounts.flatMap { $0["connections"] as? [[String: Any]] ?? [] } }
  }

  /// The contacts' online resources, as addresses in lower case.
  private var online: [String] {
    get throws {
      let presence = try run.document("state")["presence"] as? [String: [String: Any]] ?? [:]
      return presence.flatMap { contact, resources in
        resources.keys.map { $0.isEmpty ? contact : "\(contact)/\($0)" }
      }.map { $0.lowercased() }
    }
  }
}

/// Logs as copied from terminals, chats, mails and log collectors.
@Suite("Pasted logs") struct PastedCaseTests {
  @Test("A pasted log is read as a person would read it", arguments: PastedCase.all)
  func isRead(_ pasted: PastedCase) throws {
    let run = try PastedRun(pasted)
    #expect(try PastedJudge(run: run).failures(of: run.expected).isEmpty)
  }

  @Test("The cases are found")
  func casesExist() { #expect(PastedCase.all.count > 60) }
}
