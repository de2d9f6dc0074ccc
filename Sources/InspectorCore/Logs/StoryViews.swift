import Captures
import Rollcall

/// The lists that the page has asked for, by their names.
struct StoryViews: Sendable {
  /// The number of lists with a filter that are kept.
  private static let capacity = 32

  private var views: [(name: String, view: StoryView)] = []
  private var count = 0

  /// The lists that exist without being asked for.
  private static func plain(_ name: String) -> StoryView? {
    guard let show = StoryView.Show(rawValue: name), let all = try? StoryQuery(parsing: "") else {
      return nil
    }
    return StoryView(show, all)
  }

  /// The name of a list, which is kept from now on.
  mutating func name(of show: StoryView.Show, _ query: StoryQuery) -> String {
    if query.terms.isEmpty { return show.rawValue }
    if let known = views.first(where: { $0.view.show == show && $0.view.query == query }) {
      return known.name
    }
    count += 1
    views.append(("v\(count)", StoryView(show, query)))
    if views.count > Self.capacity { views.removeFirst() }
    return "v\(count)"
  }

  /// A list, brought up to date by `update`.
  ///
  /// - Throws: `Refusal` if it does not exist or is no longer kept, and what `update` throws.
  mutating func view(
    _ name: String, _ update: (inout StoryView) throws -> Void
  ) throws -> StoryView {
    if !views.contains(where: { $0.name == name }), let view = Self.plain(name) {
      views.insert((name, view), at: 0)
    }
    guard let index = views.firstIndex(where: { $0.name == name }) else {
      throw Refusal(404, "no-such-view", "the list “\(name)” is no longer kept: ask for it again")
    }
    try update(&views[index].view)
    return views[index].view
  }
}

extension OpenLog {
  /// How many records' words are read for one request, so that others get a turn.
  private static let textSlice: UInt64 = 1 << 16

  /// Reads the words of more records, if a query looks for a text.
  ///
  /// - Returns: The last record that can be searched.
  private mutating func search(for query: StoryQuery) throws -> UInt64 {
    guard query.looksForText, texts.last < head else { return head }
    try texts.extend(over: timeline, upTo: min(head, texts.last + Self.textSlice))
    return texts.last
  }

  /// A list of the story, up to date.
  mutating func view(_ name: String) throws -> StoryView {
    var texts = self.texts
    // Held once, they are changed in place.
    self.texts = TextIndex()
    defer { self.texts = texts }
    let (index, labels, timeline) = (index, labels, timeline)
    return try views.view(name) { try $0.update(index, &texts, labels, of: timeline) }
  }

  /// `POST /api/views`. If it takes long to look for a text, the answer says how far the search is,
  /// and the same request has to be sent again.
  mutating func addView(_ request: InspectorRequest) throws -> JSONValue {
    var show = StoryView.Show.story
    if case .string(let text)? = request.body["show"] {
      guard let given = StoryView.Show(rawValue: text) else {
        throw Refusal.malformed("show is story, records or findings")
      }
      show = given
    }
    var filter = ""
    if case .string(let text)? = request.body["filter"] { filter = text }
    let query: StoryQuery
    do {
      query = try StoryQuery(parsing: filter)
    } catch {
      throw Refusal(400, "bad-filter", error.description, term: error.term)
    }
    let name = views.name(of: show, query)
    let searched = try search(for: query)
    let entries = searched == head ? try view(name).count(in: index) : 0
    return .object([
      "view": .string(name), "show": .string(show.rawValue), "filter": .string(filter),
      "entries": .integer(Int64(entries)), "complete": .bool(isComplete), "upTo": JSONValue(head),
      "searched": JSONValue(searched),
    ])
  }
}
