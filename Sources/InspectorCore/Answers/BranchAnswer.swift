import Captures
import EventStore
import Rollcall
import RosterCore

/// What was tried last.
struct Branches: Sendable {
  private static let capacity = 8

  private var answers: [(name: String, document: JSONValue)] = []
  private var count = 0

  subscript(name: String) -> JSONValue? { answers.first { $0.name == name }?.document }

  mutating func add(_ document: JSONValue) -> JSONValue {
    count += 1
    let named = document.adding(["branch": .string("b\(count)")])
    answers.append(("b\(count)", named))
    if answers.count > Self.capacity { answers.removeFirst() }
    return named
  }
}

/// What a `POST /api/branches` asks to change.
struct BranchChange: Sendable {
  private(set) var edits = BranchEdits()
  private(set) var policy = ClientPolicy.strict
  /// The last record of the branch, as it was given.
  let point: JSONValue?

  /// Reads the members of a request.
  ///
  /// - Throws: `Refusal` if one is malformed, or nothing is changed. Whether the log has the
  ///   records is found out when the branch is made.
  init(_ members: [String: JSONValue]) throws(Refusal) {
    point = members["at"]
    edits.drops = try Self.ranges(members["drop"])
    edits.swaps = try Self.pairs(members["swap"])
    if case .string(let name)? = members["policy"] {
      guard let given = ClientPolicy(rawValue: name) else {
        throw .malformed("there is no policy “\(name)”")
      }
      policy = given
    }
    guard !edits.isEmpty || policy != .strict else {
      throw .malformed("no change was given: leave records out, swap two, or choose a policy")
    }
  }

  /// Numbers and ranges: `["120", "133-140"]`, or `[120]`.
  private static func ranges(_ value: JSONValue?) throws(Refusal) -> [ClosedRange<UInt64>] {
    guard let value, value != .null else { return [] }
    guard case .array(let values) = value else { throw .malformed("drop is no list") }
    var ranges: [ClosedRange<UInt64>] = []
    for value in values {
      switch value {
      case .integer(let number) where number > 0:
        ranges.append(UInt64(number)...UInt64(number))
      case .string(let text):
        let ends = text.split(separator: "-").map { UInt64($0) }
        guard (1...2).contains(ends.count), let first = ends.first ?? nil,
          let last = ends.last ?? nil, first <= last
        else { throw .malformed("“\(text)” is neither a record nor a range of them") }
        ranges.append(first...last)
      case .null, .bool, .integer, .decimal, .array, .object:
        throw .malformed("drop holds something that is no record")
      }
    }
    return ranges
  }

  private static func pairs(_ value: JSONValue?) throws(Refusal) -> [(UInt64, UInt64)] {
    guard let value, value != .null else { return [] }
    guard case .array(let values) = value else { throw .malformed("swap is no list") }
    var pairs: [(UInt64, UInt64)] = []
    for value in values {
      guard case .array(let pair) = value, pair.count == 2, case .integer(let first) = pair[0],
        case .integer(let second) = pair[1], first > 0, second > 0
      else { throw .malformed("swap holds something that is no pair of records") }
      pairs.append((UInt64(first), UInt64(second)))
    }
    return pairs
  }
}

extension OpenLog {
  /// `/api/policies`: how a client of a branch can treat what it receives.
  static var policies: JSONValue {
    .object([
      "policies": .array(
        ClientPolicy.allCases.map {
          .object(["name": .string($0.rawValue), "rule": .string($0.rule)])
        })
    ])
  }

  /// `/api/branches/ID`.
  func branch(_ name: String) throws -> JSONValue {
    guard let known = branches[name] else {
      throw Refusal(404, "no-such-branch", "the branch “\(name)” is no longer kept: try it again")
    }
    return known
  }

  /// The branch with a change; it is not replayed yet.
  func branch(with change: BranchChange) throws -> Branch {
    try requireAll()
    let head = try record(at: change.point)
    return try Branch(
      of: timeline, upTo: .record(head), edits: change.edits, policy: change.policy)
  }

  /// What a branch makes otherwise, with the titles of its findings.
  func document(_ branch: Branch, _ comparison: Branch.Comparison) -> JSONValue {
    let moments = comparison.divergence.map { $0.happened + $0.instead } ?? []
    let findings =
      comparison.added + comparison.removed + moments.flatMap { $0.outcome.findings }
    let titles = Dictionary(
      findings.map { ($0.code.rawValue, JSONValue.string($0.code.title)) },
      uniquingKeysWith: { first, _ in first })
    return JSONValue(branch, comparison).adding(["titles": .object(titles)])
  }
}
