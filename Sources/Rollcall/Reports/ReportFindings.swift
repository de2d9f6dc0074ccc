import RosterCore

/// The part of a report that lists and explains the findings.
struct ReportFindings {
  let front: ReportFront

  /// The number of findings of a kind that are visible without a click.
  private static let unfoldedCount = 4

  var markup: Markup {
    let kinds = front.survey.findings
    guard !kinds.isEmpty else { return Tag.p([.class: "note"], "There are no findings.") }
    return Markup(kinds.map(article))
  }

  private func article(_ kind: ReportSurvey.Kind) -> Markup {
    let severity = kind.severity
    let guide = kind.code.guide
    let times = kind.count == 1 ? "once" : "\(kind.count.grouped) times"
    var parts = [
      Tag.header(
        [:], severity.badge, Tag.h3([:], Markup(kind.code.rawValue)),
        Tag.span([.class: "faint"], Markup(times))),
      Tag.ul([.class: "places"], kind.first.prefix(Self.unfoldedCount).map(place)),
    ]
    let further = kind.first.dropFirst(Self.unfoldedCount)
    if !further.isEmpty {
      parts.append(
        Tag.details(
          [:], Tag.summary([:], Markup("the next \(further.count)")),
          Tag.ul([.class: "places"], further.map(place))))
    }
    let rest = kind.count - kind.first.count
    if rest > 0 {
      parts.append(
        Tag.p(
          [.class: "note"], Markup("\(rest.grouped) more are not in this page: "),
          Tag.code([:], "rollcall findings \(front.report.source)")))
    }
    parts.append(
      Tag.dl(
        [.class: "guide"], Tag.dt([:], "Rule"), Tag.dd([:], Markup(guide.rule)),
        Tag.dt([:], "Usual causes"), Tag.dd([:], Markup(guide.causes)),
        Tag.dt([:], "What to do"), Tag.dd([:], Markup(guide.remedy))))
    return Tag.article([.class: "finding \(severity.rawValue)", .id: kind.elementID], parts)
  }

  private func place(_ place: ReportSurvey.Place) -> Markup {
    let finding = place.finding
    let clock = place.time.map(front.report.zone.clock) ?? ""
    return Tag.li(
      [:],
      Tag.span(
        [:],
        place.record.map { Tag.a([.fragment: "r\($0)"], Markup("#\($0)")) }
          ?? Markup("at the end"),
        Tag.span([.class: "clock"], Markup(clock))),
      Tag.span([:], Markup(finding.sentence.shortened(to: Report.sentenceLimit))))
  }
}
