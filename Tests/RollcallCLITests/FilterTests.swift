import Foundation
import TestSupport
import Testing

/// Compares each filtered listing with the unfiltered one.
@Suite("Filters of listings") struct FilterTests {
  private static func path(_ fixture: String) -> String {
    CaptureCase.fixtures.appending(path: fixture).path(percentEncoded: false)
  }

  private static let capture = path("logs/net-xmpp-time/capture.log")

  /// The listings, with the keys of their lists in the documents.
  private static let listings = [
    (["log", capture], "records"), (["replay", capture], "records"),
    (["findings", path("devices/prosody-three/merged.jsonl")], "findings"),
    (["history", capture, "laowang37"], "history"),
  ]

  private static func list(
    _ arguments: [String], _ key: String, _ filter: [String] = []
  ) throws -> [NSDictionary] {
    let run = try Program(arguments + filter + ["--json"])
    #expect(run.code < 2, "\(run.errors)")
    return try #require(try run.document[key] as? [NSDictionary])
  }

  private static func number(_ row: NSDictionary) -> Int { row["record"] as? Int ?? 0 }

  /// The kind of each record of a capture, and the records with findings.
  private struct Facts {
    var kinds: [Int: String]
    var odd: Set<Int>

    init(_ capture: String) throws {
      let rows = try list(["log", capture], "records")
      kinds = Dictionary(
        uniqueKeysWithValues: rows.map { (number($0), $0["kind"] as? String ?? "") })
      let moments = try list(["replay", capture], "records")
      odd = Set(moments.filter { ($0["findings"] as? [Any])?.isEmpty == false }.map(number))
    }
  }

  private static let facts = Result {
    Dictionary(
      uniqueKeysWithValues: try Set(listings.map(\.0[1])).map { ($0, try Facts($0)) })
  }

  /// Whether a row of any listing concerns only presence or the roster's version.
  private static func isFleeting(_ row: NSDictionary, _ kinds: [Int: String]) -> Bool {
    guard let changes = row["changes"] as? [NSDictionary] else {
      let xml = row["xml"] as? String ?? ""
      return kinds[number(row)] == "presence" && row["code"] == nil
        && !xml.contains(/type=['"](un)?subscribed?['"]/)
    }
    let fleeting = ["presence", "ownResources", "version"]
    return !changes.isEmpty && (row["findings"] as? [Any])?.isEmpty == true
      && changes.allSatisfy { fleeting.contains($0["field"] as? String ?? "") }
  }

  @Test(
    "A filter excludes exactly what it says, in every listing",
    arguments: listings.indices,
    [
      ["--kind", "presence"], ["--kind", "iq"], ["--since", "#20"], ["--from", "20", "--to", "40"],
      ["--only", "findings"], ["--no-presence"], ["--kind", "presence", "--no-presence"],
    ])
  func leavesOut(_ index: Int, _ filter: [String]) throws {
    let (arguments, key) = Self.listings[index]
    let facts = try #require(try Self.facts.get()[arguments[1]])
    let all = try Self.list(arguments, key)
    let expected = all.filter { row in
      let record = Self.number(row)
      // A finding about the end of the source has the kind of the record that it goes back to.
      let isOfEnd = row["code"] != nil && !facts.odd.contains(record)
      let meant = isOfEnd ? row["cause"] as? Int ?? record : record
      if let at = filter.firstIndex(of: "--kind"), facts.kinds[meant] != filter[at + 1] {
        return false
      }
      let isOdd =
        isOfEnd
        || (row["findings"] as? [Any]).map { !$0.isEmpty } ?? facts.odd.contains(record)
      if filter.contains("--only"), !isOdd { return false }
      if filter.contains("--no-presence"), Self.isFleeting(row, facts.kinds) { return false }
      if filter[0] == "--since" || filter[0] == "--from", record < 20 { return false }
      return !filter.contains("--to") || record <= 40
    }
    #expect(all.count > 2)
    let numbers = try Self.list(arguments, key, filter).map(Self.number)
    #expect(numbers == expected.map(Self.number))
  }

  @Test(
    "A finding about the end of a source has the kind of the record that it goes back to",
    arguments: [("iq", true), ("stream", false), ("presence", false)])
  func ending(_ kind: String, _ isShown: Bool) throws {
    let findings = try Self.list(["findings", Self.capture], "findings", ["--kind", kind])
    let codes = findings.compactMap { $0["code"] as? String }
    #expect(codes.contains("unacknowledged-push") == isShown)
  }

  @Test(
    "A filter makes no story longer",
    arguments: [
      "logs/net-xmpp-time/capture.log", "logs/dino/capture.log",
      "devices/prosody-three/merged.jsonl", "devices/ejabberd-three/merged.jsonl",
    ])
  func shorter(_ fixture: String) throws {
    let path = CaptureCase.fixtures.appending(path: fixture).path(percentEncoded: false)
    func count(_ arguments: [String]) throws -> Int {
      let run = try Program(["replay", path] + arguments)
      #expect(run.code == 0, "\(run.errors)")
      return run.output.count(where: \.isNewline)
    }
    let rows = try Program(["state", path, "--json"]).document["items"] as? [NSDictionary]
    let contact = try #require(rows?.first?["jid"] as? String)
    for density in [[], ["--full"]] {
      let whole = try count(density)
      for filter in [
        ["--contact", contact], ["--from", "20"], ["--to", "60"], ["--kind", "iq"],
        ["--kind", "presence"], ["--only", "findings"], ["--no-presence"],
      ] {
        #expect(try count(density + filter) <= whole, "\(filter)")
      }
    }
  }

  @Test("An empty result is reported")
  func nothing() throws {
    for (arguments, _) in Self.listings where arguments[0] != "findings" && arguments[0] != "replay"
    {
      let run = try Program(arguments + ["--kind", "unreadable"])
      #expect(run.code == 1 && run.errors.contains("matches"), "\(run.errors)")
    }
  }
}
