import RosterCore

/// Draws the picture of a session.
struct ReportDrawing {
  let picture: ReportPicture
  let zone: Zone

  static let namespace = "http://www.w3.org/2000/svg"

  private static let left = 118.0
  private static let right = 944.0
  private static let laneHeight = 40.0
  private static let densityHeight = 64.0
  private static let top = 12.0

  private var lanesEnd: Double { Self.top + Double(picture.lanes.count) * Self.laneHeight }
  private var base: Double { lanesEnd + 14 + Self.densityHeight }
  private var height: Double { base + 26 }

  /// The whole picture.
  var markup: Markup {
    let size: KeyValuePairs<Attribute, String> = [
      .viewBox: "0 0 960 \(number(height))", .role: "group", .ariaLabelledBy: "picture-title",
      .class: "picture", .xmlns: Self.namespace,
    ]
    return Tag.svg(
      size, Tag.title([.id: "picture-title"], "The session over time"),
      Tag.description([:], Markup(description)),
      grid, density, Markup(picture.lanes.enumerated().map(lane)))
  }

  /// The description of the picture for readers who cannot see it.
  private var description: String {
    let marks = picture.lanes.flatMap(\.findingMarks).reduce(0) { $0 + $1.count }
    let asking = picture.lanes.flatMap(\.requestMarks).reduce(0) { $0 + $1.count }
    return "\(picture.lanes.count.of("lane")), one for each device, with "
      + "\(marks.of("finding")) and \(asking.of("change")) of requests marked; below, how many "
      + "records changed something over time. The lists that follow have all of it."
  }

  // MARK: Grid

  private var grid: Markup {
    Markup(
      picture.axis.ticks(zone).map { tick in
        let x = x(tick.place)
        let anchor = tick.place > 0.95 ? "end" : tick.place < 0.03 ? "start" : "middle"
        return Tag.g(
          [.class: "tick"],
          Tag.path([.d: "M\(number(x)) \(number(Self.top - 6))V\(number(base + 5))"]),
          Tag.svgText(
            [.x: number(x), .y: number(base + 19), .textAnchor: anchor], Markup(tick.label)))
      })
  }

  // MARK: Density

  private var density: Markup {
    let maximum = zip(picture.presence, picture.others).map { $0 + $1 }.max() ?? 0
    guard maximum > 0 else { return Markup() }
    let presence = bars(picture.presence, on: [], maximum)
    let others = bars(picture.others, on: picture.presence, maximum)
    return Tag.g(
      [.class: "density"],
      Tag.svgText([.x: "0", .y: number(base - Self.densityHeight + 10)], "records"),
      Tag.svgText(
        [.class: "faint", .x: "0", .y: number(base - Self.densityHeight + 26)],
        Markup("at most \(maximum)")),
      Tag.path([.class: "presence", .d: presence]), Tag.path([.class: "others", .d: others]),
      Tag.path([.class: "base", .d: "M\(number(Self.left)) \(number(base))H\(number(Self.right))"])
    )
  }

  /// The outlines of bars, stacked on the bars for `lower` unless that is empty.
  private func bars(_ counts: [Int], on lower: [Int], _ maximum: Int) -> String {
    let width = (Self.right - Self.left) / Double(ReportPicture.columns)
    return counts.indices.filter { counts[$0] > 0 }.map { column in
      let foot = lower.isEmpty ? 0 : rise(lower[column], maximum)
      let rise = max(rise(counts[column], maximum), 1.5)
      let x = Self.left + Double(column) * width
      return "M\(number(x)) \(number(base - foot))v\(number(-rise))"
        + "h\(number(width - 0.6))v\(number(rise))z"
    }.joined()
  }

  private func rise(_ count: Int, _ maximum: Int) -> Double {
    Double(count) / Double(maximum) * (Self.densityHeight - 4)
  }

  // MARK: Lanes

  private func lane(_ number: Int, _ lane: ReportPicture.Lane) -> Markup {
    let y = Self.top + (Double(number) + 0.5) * Self.laneHeight
    let name = lane.name.visible.shortened(to: 16)
    return Tag.g(
      [.class: "lane"],
      Tag.svgText(
        [.x: "0", .y: self.number(y + 4)],
        Tag.title([:], Markup("\(lane.name): \(lane.connections.count.of("connection"))")),
        Markup(name)),
      Tag.path(
        [.class: "rail", .d: "M\(self.number(Self.left)) \(self.number(y))H\(Int(Self.right))"]),
      Markup(lane.stretches.map { stretch($0, y) }),
      Markup(lane.requestMarks.map { mark($0, y + 12) }),
      Markup(lane.findingMarks.map { mark($0, y - 12) }))
  }

  private func stretch(_ stretch: ReportPicture.Stretch, _ y: Double) -> Markup {
    let width = max((stretch.end - stretch.start) * (Self.right - Self.left), 2)
    return Tag.rect([
      .class: "open", .x: number(x(stretch.start)), .y: number(y - 4), .width: number(width),
      .height: "8",
    ])
  }

  /// A mark that links to its record. Each sign has its own shape, for readers who cannot see its
  /// color.
  private func mark(_ mark: ReportPicture.Mark, _ y: Double) -> Markup {
    let more = mark.count > 1 ? " and \(mark.count - 1) more nearby" : ""
    let (x, y) = (number(x(mark.place)), number(y))
    return Tag.a(
      [.fragment: "r\(mark.first)", .class: "mark \(mark.sign.rawValue)"],
      Tag.title([:], Markup("#\(mark.first) \(mark.words)\(more)")),
      Tag.path([.d: "M\(x) \(y)\(mark.sign.outline)"]))
  }

  // MARK: Numbers

  private func x(_ place: Double) -> Double { Self.left + place * (Self.right - Self.left) }

  /// A number in SVG's syntax, with at most one digit after the point.
  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return (tenths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(rest)")
  }
}

extension ReportPicture.Sign {
  /// The shape as a path from its center: a diamond, a triangle, a disk, a ring.
  var outline: String {
    switch self {
    case .error: "m0 -6l6 6l-6 6l-6 -6z"
    case .warning: "m0 -5.5l6 10.5h-12z"
    case .info: "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"
    case .request: "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"
    }
  }
}

extension String {
  /// The text, cut to a maximum number of characters.
  func shortened(to limit: Int) -> String {
    count <= limit ? self : prefix(limit - 1) + "…"
  }
}
