import RosterCore

/// The connections of a report in words.
struct ReportConnections {
  let connections: [ConnectionStory]
  let zone: Zone

  /// How many are listed.
  private static let most = 100

  var markup: Markup {
    let columns = ["", "Resource", "Name", "First", "Last", "End"]
    let head = columns.map { Tag.th([.scope: "col"], Markup($0)) }
    let rows = connections.prefix(Self.most).map { story in
      Tag.tr(
        [:],
        cells(
          "\(story.id.number)", story.resources.suffix(3).joined(separator: ", "),
          story.name ?? "", text(story.first), text(story.last), story.end.word))
    }
    var parts = [
      Tag.summary([:], Markup(connections.count.of("connection"))),
      Tag.div(
        [.class: "scroll"],
        Tag.table([:], Tag.thead([:], Tag.tr([:], head)), Tag.tbody([:], rows))),
    ]
    if connections.count > Self.most {
      parts.append(
        Tag.p([.class: "note"], "\(connections.count - Self.most) more are not in this page."))
    }
    return Tag.details([:], parts)
  }

  private func cells(_ texts: String...) -> [Markup] { texts.map { Tag.td([:], Markup($0)) } }

  private func text(_ stamp: RecordStamp) -> String {
    "#\(stamp.record)" + (stamp.time.map { " \(zone.text($0))" } ?? "")
  }
}
