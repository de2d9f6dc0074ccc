import Captures
import Rollcall
import RosterCore
import XMPPStanza

// What two connections of one source were shown.
extension DiffCommand {
  /// Compares the connections that `--connection A,B` names, and prints the answer.
  ///
  /// - Returns: Whether there is a difference.
  func compareConnections() throws -> Bool {
    var options = try capture.importOptions
    let names = options.connection ?? ""
    // Both are read, so neither is selected on opening.
    options.connection = nil
    let opened = try SourceOptions.open([source], options, pair: capture.selection.pair)
    let point = try LogPoint(option: "--at", at ?? "head")
    return try opened.naming {
      let (first, second) = try opened.whole.twoConnections(named: names)
      guard first != second else { throw Failure("“\(names)” names one connection twice") }
      return try compare(
        Shown(first, of: opened, at: point), Shown(second, of: opened, at: point), in: opened)
    }
  }

  /// What one connection was shown.
  private struct Shown {
    let name: String
    let timeline: Timeline
    let state: Timeline.State
    /// The connection's own last record up to the point.
    let record: UInt64

    init(_ connection: ConnectionStory, of opened: OpenedSource, at point: LogPoint) throws {
      name = connection.title
      timeline = Timeline(opened.log, narrowedTo: connection.id)
      state = try timeline.state(at: point)
      record = try timeline.ownRecord(upTo: state.roster.position)
    }

    /// The connection and the record up to which it is looked at.
    var heading: String { "\(name) up to #\(record)" }
  }

  private func compare(
    _ first: Shown, _ second: Shown, in opened: OpenedSource
  ) throws -> Bool {
    let (before, after) = (first.state.roster, second.state.roster)
    if sections { return try printDiff(SectionsDiff(before, after)) }
    let divergence = try TimelineDivergence(
      between: first.timeline, upTo: before.position, and: second.timeline, upTo: after.position)
    let differences = try SourceDifference.all(before, after, of: opened.log)
    let pushes = try PushOfOne.all(
      of: first.timeline, and: second.timeline, upTo: max(before.position, after.position))
    let isDifferent = !differences.isEmpty || !pushes.isEmpty
    guard !output.json else {
      try Terminal.say(
        JSONValue(divergence).adding([
          "differences": .array(differences.map { JSONValue($0) }),
          "pushes": .array(pushes.map { JSONValue($0) }),
        ]))
      return isDifferent
    }
    for shown in [first, second] where shown.state.roster.completeness != .complete {
      Terminal.note("\(shown.name): \(shown.state.roster.completeness.clause)")
    }
    var lines = [Style.bold("\(opened.path): \(first.heading) → \(second.heading)".visible)]
    lines += differences.isEmpty ? ["no difference"] : SourceDifference.lines(differences)
    for (one, other) in [(first, second), (second, first)] {
      lines += pushes.filter { $0.connection == one.timeline.connection }
        .lines(of: one.name, butNot: other.name)
    }
    try Terminal.say(lines + divergence.lines(first.name, second.name, !differences.isEmpty))
    return isDifferent
  }
}

extension [PushOfOne] {
  /// The pushes under a heading; no lines if there are none.
  fileprivate func lines(of name: String, butNot other: String) -> [String] {
    guard !isEmpty else { return [] }
    let pushes = "\(count) push\(count == 1 ? "" : "es")"
    let heading = "\(other) did not receive \(pushes) that \(name) received"
    return ["", Style.bold(heading.visible)]
      + map { push in
        let what = push.item?.clause ?? "\(push.contact) is removed"
        return "  #\(push.stamp.record) \(what)".visible
      }
  }
}

extension ConnectionStory {
  /// What to call the connection: its resource, its name in the source, or its number.
  fileprivate var title: String {
    resources.last ?? name ?? "connection \(id.number)"
  }
}

extension Timeline {
  /// The two connections that a text names with a comma in between, which can be part of a name.
  ///
  /// - Throws: `ConnectionError` if one of the two cannot be found.
  fileprivate func twoConnections(
    named text: String
  ) throws -> (ConnectionStory, ConnectionStory) {
    let commas = text.indices.filter { text[$0] == "," }
    func pair(_ comma: String.Index) throws -> (ConnectionStory, ConnectionStory) {
      (
        try story(named: String(text[..<comma])),
        try story(named: String(text[text.index(after: comma)...]))
      )
    }
    for comma in commas.dropLast() {
      if let found = try? pair(comma) { return found }
    }
    return try pair(commas.last ?? text.endIndex)
  }

  private func story(named text: String) throws -> ConnectionStory {
    let id = try connection(named: text)
    guard let story = try connections(upTo: .head(minus: 0)).first(where: { $0.id == id }) else {
      throw ConnectionError.unknown(text, [])
    }
    return story
  }
}
