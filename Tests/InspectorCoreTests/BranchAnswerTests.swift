import Captures
import InspectorCore
import Rollcall
import TestSupport
import Testing

/// Branches are replayed beside other requests, and end if no one waits for them any more.
@Suite struct BranchAnswerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func request(_ members: [String: JSONValue]) -> InspectorRequest {
    InspectorRequest(.post, ["branches"], body: members)
  }

  /// The log answers while a branch is replayed: otherwise, this test would never end.
  @Test func aLogAnswersMeanwhile() throws {
    let inspected = try Inspected(try #require(CaptureCase.all.first), in: folder)
    let log = inspected.inspector.logs[0]
    var answers = 0
    let document = try log.addBranch(request(["drop": .array([.integer(1)])])) { _ in
      answers += (try? inspected.get("/api/log")) == nil ? 0 : 1
    }
    #expect(answers > 0)
    #expect(document["branch"].words == "b1")
    #expect(try inspected.get("/api/branches/b1") == document)
  }

  @Test(
    arguments: [["cancel": .bool(true)], ["drop": .array([.integer(2)])]] as [[String: JSONValue]])
  func anotherRequestEndsABranch(_ other: [String: JSONValue]) throws {
    let inspected = try Inspected(try #require(CaptureCase.all.first), in: folder)
    let log = inspected.inspector.logs[0]
    var steps = 0
    let refusal = #expect(throws: Refusal.self) {
      try log.addBranch(request(["drop": .array([.integer(1)])])) { _ in
        steps += 1
        _ = try? log.addBranch(request(other))
      }
    }
    #expect(steps == 1)
    #expect(refusal?.code == "canceled")
    #expect(inspected.refusal("/api/branches/b2").code == "no-such-branch")
  }

  /// Neither what is malformed nor what the log does not have.
  @Test(
    arguments: [
      ["drop": .string("2")], ["drop": .array([.string("3-2")])], ["drop": .array([.bool(true)])],
      ["swap": .array([.array([.integer(1)])])], ["policy": .string("none")], [:],
      ["drop": .array([.integer(1_000_000)])],
      ["swap": .array([.array([.integer(2), .integer(2)])])],
      ["drop": .array([.integer(2)]), "at": .string("no-such-bookmark")],
      ["drop": .array([.integer(2)]), "at": .bool(true)],
    ] as [[String: JSONValue]])
  func aRequestThatIsRefusedEndsNoBranch(_ other: [String: JSONValue]) throws {
    let inspected = try Inspected(try #require(CaptureCase.all.first), in: folder)
    let log = inspected.inspector.logs[0]
    var refusals = 0
    let document = try log.addBranch(request(["drop": .array([.integer(1)])])) { _ in
      do {
        _ = try log.addBranch(request(other))
      } catch {
        refusals += 1
      }
    }
    #expect(refusals > 1)
    #expect(document["branch"].words == "b1")
  }

  @Test func nothingIsCanceledWithoutABranch() throws {
    let inspected = try Inspected(try #require(CaptureCase.all.first), in: folder)
    #expect(try inspected.post("/api/branches", #"{"cancel":true}"#)["canceled"] == .bool(true))
    #expect(
      try inspected.post("/api/branches", #"{"drop":["1"]}"#)["branch"].words == "b1")
  }
}
