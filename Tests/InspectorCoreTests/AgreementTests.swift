import Captures
import EventStore
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The page says what the command line says.
@Suite struct AgreementTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Some points of a log: all of a short one.
  private func points(_ inspected: Inspected) throws -> [UInt64] {
    let head = try inspected.head
    return Array(stride(from: 0, through: head, by: max(1, Int(head) / 12)))
  }

  @Test(arguments: CaptureCase.all)
  func aRosterIsThatOfState(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    for at in try points(inspected) {
      let state = JSONValue(try inspected.timeline.state(at: .record(at)))
      let roster = try inspected.get("/api/roster?at=\(at)&order=address&count=1000")
      #expect(roster["rows"].list.map { $0["item"] } == state["items"].list, "#\(at)")
      for key in ["account", "version", "completeness", "connected", "blocked", "ownResources"] {
        #expect(roster[key] == state[key], "#\(at) \(key)")
      }
      for kind in ["incoming", "unconfirmed", "outgoing"] {
        #expect(
          roster["requests"][kind].list.map { $0["jid"] }
            == state["requests"][kind].list.map { $0["jid"] }, "#\(at) \(kind)")
      }
      #expect(roster["requests"]["unseen"] == state["requests"]["unseen"], "#\(at)")
    }
  }

  @Test(arguments: CaptureCase.all)
  func aRecordIsThatOfShow(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    for record in try points(inspected) where record > 0 {
      let stored = try #require(try inspected.log.read { try $0.record(at: record) })
      let moment = try inspected.timeline.moment(of: record)
      let shown = JSONValue(stored, moment)
      let answer = try inspected.get("/api/records/\(record)")
      #expect(answer["xml"] == shown["xml"])
      #expect(answer["line"] == shown["line"])
      #expect(answer["means"] == .bool(moment != nil))
      #expect(answer["digest"] == shown["pack"]["digest"])
      if let moment {
        #expect(answer["clause"]["full"] == .string(moment.clause))
        let changes = moment.outcome.changes.forPeople.map { JSONValue($0) }
        #expect(answer["changes"].list == changes)
      }
      let findings = moment?.outcome.findings ?? []
      #expect(
        answer["findings"].list.map { $0["sentence"] } == findings.map { .string($0.sentence) })
    }
  }

  @Test(arguments: CaptureCase.all)
  func aScreenIsThatOfSections(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    // Forward and back, so that screens are made from others.
    let forward = try points(inspected)
    for at in forward + forward.reversed() {
      let roster = try inspected.timeline.state(at: .record(at)).roster
      for friends in SectionPolicy.Friends.allCases {
        let index = RosterSections(roster, policy: SectionPolicy(friends: friends)).index
        let document = SectionsDocument(index, of: roster, showsNameSources: true).screen
        let screen = try inspected.get(
          "/api/screen?at=\(at)&friends=\(friends.rawValue)&count=1000")
        let contacts = document["sections"].list.flatMap { $0["contacts"].list }
        let rows = screen["rows"].list
        let shown = rows.filter { $0["jid"] != .null }
        for (row, contact) in zip(shown, contacts) {
          #expect(row["jid"] == contact["jid"])
          #expect(row["name"] == contact["displayName"])
          #expect(row["reading"] == contact["reading"])
          #expect(row["show"] == contact["presence"])
          #expect(row["nameFrom"] == contact["nameFrom"])
        }
        #expect(shown.count == contacts.count)
        #expect(screen["total"].number == rows.count)
        #expect(screen["badge"].number == roster.incoming.count)
      }
    }
  }

  @Test(arguments: CaptureCase.all)
  func aContactIsThatOfWhyAndHistory(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    let head = try inspected.head
    let roster = try inspected.timeline.state(at: .record(head)).roster
    for contact in Set(roster.entries.keys + roster.incoming.keys).sorted().prefix(6) {
      let answer = try inspected.get("/api/contacts/\(contact)?at=\(head)")
      let (explanation, state) = try #require(
        try inspected.timeline.explanation(of: contact, at: .record(head)))
      let why = JSONValue(explanation, state)
      #expect(answer["why"]["answers"] == why["answers"])
      #expect(answer["why"]["state"] == why["state"])
      var records: [JSONValue] = []
      _ = try inspected.timeline.history(of: contact, upTo: .record(head)) { entry, _ in
        records.append(JSONValue(entry.moment.stamp.record))
      }
      #expect(answer["history"]["entries"].list.map { $0["n"] } == records.suffix(200))
      #expect(answer["history"]["total"].number == records.count)
    }
  }

  @Test(arguments: CaptureCase.all)
  func aDifferenceIsThatOfDiff(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    let places = try points(inspected)
    for (from, to) in zip(places, places.reversed()) {
      let diff = try inspected.timeline.diff(
        from: .record(min(from, to)), to: .record(max(from, to)))
      let answer = try inspected.get("/api/diff?from=\(from)&to=\(to)&count=1000")
      let fields = answer["rows"].list.flatMap { $0["fields"].list }
      for key in ["contact", "field", "before", "after", "record"] {
        #expect(
          Set(fields.map { $0[key].text }) == Set(diff.differences.map { JSONValue($0)[key].text }),
          "\(from) to \(to)")
      }
      #expect(fields.count == diff.differences.count)
    }
  }

  @Test(arguments: CaptureCase.all)
  func findingsAreThoseOfFindings(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    let findings = try inspected.timeline.findings()
    let answer = try inspected.get("/api/findings")
    #expect(answer["total"].number == findings.count)
    #expect(
      answer["findings"].list.map { $0["sentence"] } == findings.map { .string($0.sentence) })
    for finding in answer["findings"].list {
      let code = try #require(finding["code"].words)
      #expect(answer["guides"][code]["remedy"].words?.isEmpty == false)
      #expect(finding["title"].words?.isEmpty == false)
    }
  }
}
