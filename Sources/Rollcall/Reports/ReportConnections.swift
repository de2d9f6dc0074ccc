import RosterCore

/// The table of connections in a report.
struct ReportConnections {
  let connections: [ConnectionStory]
  let zone: Zone

  /// The maximum number of listed connections.
  private static let rowLimit = 100

  var markup: Markup {
    let columns = ["", "Resource", "Name", "First", "Last", "End"]
    let head = columns.map { Tag.th([.scope: "col"], Markup($0)) }
    let rows = connections.prefix(Self.rowLimit).map { story in
      Tag.tr(
        [:],
        cells(
          "\(story.id.number)", story.resources.suffix(3).joined(separator: ", "),
          story.name ?? "", text(story.first), text(story.last), story.endClause))
    }
    var parts = [
      Tag.summary([:], Markup(connections.count.of("connection"))),
      Tag.div(
        [.class: "scroll"],
        Tag.table([:], Tag.thead([:], Tag.tr([:], head)), Tag.tbody([:], rows))),
    ]
    if connections.count > Self.rowLimit {
      parts.append(
        Tag.p([.class: "note"], "\(connections.count - Self.rowLimit) more are not in this page."))
    }
    return Tag.details([:], parts)
  }

  private func cells(_ texts: String...) -> [Markup] { texts.map { Tag.td([:], Markup($0)) } }

  private func text(_ stamp: RecordStamp) -> String {
    "#\(stamp.record)" + (stamp.time.map { " \(zone.text($0))" } ?? "")
  }
}
