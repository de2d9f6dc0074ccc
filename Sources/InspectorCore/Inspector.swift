import Captures
import Rollcall

/// Answers the page's requests about one log, or about two that are compared.
///
/// Has no sockets and no clock: a request goes in, an answer comes out.
package final class Inspector: Sendable {
  /// The logs, in the order in which they were named.
  package let logs: [InspectedLog]

  package init(_ logs: [InspectedLog]) {
    self.logs = logs
  }

  /// Answers a request.
  package func answer(_ request: InspectorRequest) -> InspectorAnswer {
    do {
      return try route(request)
    } catch let refusal as Refusal {
      return InspectorAnswer(refusal)
    } catch {
      return InspectorAnswer(Refusal(error))
    }
  }

  /// The log that a request is about.
  private func log(of request: InspectorRequest) throws -> InspectedLog {
    var number = try request.number("log", in: 0...9) ?? 0
    if case .integer(let given)? = request.body["log"] { number = Int(clamping: given) }
    guard logs.indices.contains(number) else {
      throw Refusal(404, "no-such-log", "no log was opened under the number \(number)")
    }
    return logs[number]
  }

  private func route(_ request: InspectorRequest) throws -> InspectorAnswer {
    let log = try log(of: request)
    switch request.method {
    case .get: return try get(request, log)
    case .post: return try post(request, log)
    }
  }

  private func get(_ request: InspectorRequest, _ log: InspectedLog) throws -> InspectorAnswer {
    let path = request.path
    let rest = Array(path.dropFirst())
    let document: JSONValue
    switch path.first {
    case "log" where rest.isEmpty:
      document = try log.read { try $0.logAnswer() }.adding(names(log))
    case "moment" where rest.isEmpty: document = try log.read { try $0.momentAnswer(request) }
    case "records" where rest.count == 1:
      document = try log.read { try $0.recordAnswer(rest[0], request) }
    case "story": document = try log.read { try $0.storyAnswer(rest, request) }
    case "timeline": document = try log.read { try $0.timelineAnswer(rest, request) }
    case "roster" where rest.isEmpty: document = try log.read { try $0.rosterAnswer(request) }
    case "screen" where rest.isEmpty: document = try log.read { try $0.screenAnswer(request) }
    case "contacts" where rest.count == 2 && rest[1] == "cards":
      document = try log.cards(rest[0], request)
    case "contacts": document = try log.read { try $0.contactAnswer(rest, request) }
    case "diff" where rest.isEmpty: document = try log.read { try $0.differenceAnswer(request) }
    case "findings" where rest.isEmpty: document = try log.read { try $0.findingsAnswer(request) }
    case "point" where rest.isEmpty: document = try log.read { try $0.pointAnswer(request) }
    case "policies" where rest.isEmpty: document = OpenLog.policies
    case "branches" where rest.count == 1: document = try log.read { try $0.branch(rest[0]) }
    case "compare" where rest.isEmpty: document = try compareAnswer()
    case "export" where rest.isEmpty:
      return try log.borrow({ try $0.export(request) }) { try $0.answer() }
    case "views", "bookmarks", "branches":
      throw Refusal(405, "wrong-method", "this path takes POST")
    default: throw Refusal.noSuchPath
    }
    return InspectorAnswer(document)
  }

  private func post(_ request: InspectorRequest, _ log: InspectedLog) throws -> InspectorAnswer {
    switch request.path {
    case ["views"]: return InspectorAnswer(try log.read { try $0.addView(request) })
    case ["branches"]: return InspectorAnswer(try log.addBranch(request))
    case ["bookmarks"]: return InspectorAnswer(try log.addBookmark(request), status: 201)
    default: throw Refusal(405, "wrong-method", "this path takes GET")
    }
  }

  /// Which logs there are, and which one an answer is about.
  private func names(_ log: InspectedLog) -> [String: JSONValue] {
    let list = logs.enumerated().map { number, log in
      JSONValue.object(["log": .integer(Int64(number)), "title": .string(log.title)])
    }
    let number = logs.firstIndex { $0 === log } ?? 0
    return [
      "logs": .array(list), "log": .integer(Int64(number)), "title": .string(log.title),
      "writable": .bool(log.isWritable), "live": .bool(log.isLive),
    ]
  }
}

extension Refusal {
  /// The refusal for an error of the library.
  init(_ error: any Error) {
    let underlying = (error as? RollcallError)?.underlying ?? error
    if let point = underlying as? PointError {
      self.init(
        point.isOfMissingRecord ? 404 : 400,
        point.isOfMissingRecord ? "no-such-record" : "no-such-point", "\(point)")
    } else if let branch = underlying as? BranchError {
      self.init(400, "bad-request", "\(branch)")
    } else {
      self.init(500, "log-unreadable", Rollcall.sentence(of: error))
    }
  }
}

extension PointError {
  fileprivate var isOfMissingRecord: Bool {
    switch self {
    case .beyondHead: true
    case .malformed, .beforeStart, .noTimes, .noTimeOfDay, .reversed, .noBookmark: false
    }
  }
}
