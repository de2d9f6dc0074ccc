import RosterCore
import XMPPStanza

/// The part of a report before its story, and the end of the page.
struct ReportFront {
  let report: Report
  let survey: ReportSurvey
  let state: Timeline.State
  let connections: [ConnectionStory]

  private var sections: [(name: String, title: String)] {
    [("summary", "Summary"), ("timeline", "Timeline"), ("findings", "Findings")]
      + (report.ends == nil ? [] : [("ends", "The two ends")]) + [("story", "Story")]
  }

  /// The page up to the first line of the story.
  var markup: Markup {
    var page = Markup()
    page += Markup.documentType
    page += Tag.html.start([.lang: "en", .xmlns: "http://www.w3.org/1999/xhtml"])
    page += head
    page += Tag.body.start()
    page += Tag.a([.class: "skip", .fragment: "story"], "Skip to the story")
    page += banner
    page += Tag.main.start()
    page += part("summary", ReportSummary(front: self).markup)
    page += part("timeline", timeline)
    page += part("findings", ReportFindings(front: self).markup)
    if let ends = report.ends { page += part("ends", ReportEnds(ends: ends).markup) }
    page += storyStart
    return page
  }

  /// The part after the story.
  var end: Markup {
    Tag.section.end + Tag.main.end + footer + Tag.body.end + Tag.html.end
  }

  /// The name of the account.
  var account: String { state.account?.text ?? "account unknown" }

  private var head: Markup {
    Tag.head(
      [:], Tag.meta([.charset: "utf-8"]),
      Tag.meta([
        .httpEquivalent: "Content-Security-Policy", .content: ReportStyle.standard.policy,
      ]),
      Tag.meta([.name: "viewport", .content: "width=device-width, initial-scale=1"]),
      Tag.meta([.name: "referrer", .content: "no-referrer"]),
      Tag.meta([.name: "generator", .content: "rollcall \(RollcallVersion.current)"]),
      Tag.title([:], Markup("Roster report of \(account)")),
      Tag.style([:], Markup(ReportStyle.standard)))
  }

  private var banner: Markup {
    let links = sections.map { name, title in
      Tag.li([:], Tag.a([.fragment: name], Markup(title)))
    }
    return Tag.header(
      [.class: "top"],
      Tag.p([.class: "eyebrow"], "Roster report"),
      Tag.h1([:], Markup(account)), Tag.p([.class: "lead"], Markup(span)),
      Tag.nav([.ariaLabel: "Parts"], Tag.ul([:], links)))
  }

  /// The start and end of the session, and its source.
  private var span: String {
    let zone = report.zone
    let times = survey.summary.span.map { span in
      let isOneDay = zone.date(span.lowerBound) == zone.date(span.upperBound)
      let end = isOneDay ? zone.clock(span.upperBound) : zone.text(span.upperBound)
      return "\(zone.text(span.lowerBound)) to \(end) (\(zone))"
    }
    let source = report.name ?? "with stand-ins for names, addresses and texts"
    return [times ?? "no times", source].joined(separator: " · ")
  }

  private func part(_ name: String, _ content: Markup) -> Markup {
    Tag.section(
      [.class: "part", .id: name, .ariaLabelledBy: "\(name)-title"], heading(name), content)
  }

  private func heading(_ name: String) -> Markup {
    let title = sections.first { $0.name == name }?.title ?? name
    return Tag.h2([.id: "\(name)-title"], Markup(title))
  }

  // MARK: Timeline

  private var timeline: Markup {
    let drawing = ReportDrawing(picture: survey.picture, zone: report.zone)
    return Tag.figure(
      [:], Tag.div([.class: "scroll", .tabindex: "0"], drawing.markup), Tag.figcaption([:], legend))
      + ReportConnections(connections: connections, zone: report.zone).markup
  }

  private var legend: Markup {
    let signs: [(ReportPicture.Sign, String)] = [
      (.error, "error"), (.warning, "warning"), (.info, "info"),
      (.request, "a request begins or ends"),
    ]
    let keys = signs.map { sign, word in
      Tag.li(
        [:],
        Tag.svg(
          [
            .class: "key", .viewBox: "-8 -8 16 16", .ariaHidden: "true",
            .xmlns: ReportDrawing.namespace,
          ],
          Tag.g([.class: "mark \(sign.rawValue)"], Tag.path([.d: "M0 0\(sign.outline)"]))),
        Markup(word))
    }
    let bars = [("presence", "presence"), ("others", "everything else")].map { name, word in
      Tag.li(
        [:],
        Tag.svg(
          [
            .class: "key", .viewBox: "0 0 16 16", .ariaHidden: "true",
            .xmlns: ReportDrawing.namespace,
          ],
          Tag.rect([.class: name, .x: "4", .y: "2", .width: "8", .height: "12"])),
        Markup(word))
    }
    return Tag.ul([:], keys + bars)
  }

  // MARK: Story

  private var storyStart: Markup {
    var start = Tag.section.start([
      .class: "part", .id: "story", .ariaLabelledBy: "story-title",
    ])
    start += heading("story")
    start += filter
    if survey.entries == 0 {
      start += Tag.p([.class: "note"], "No record changed anything, and there are no findings.")
    }
    if survey.entries > report.limits.entries {
      let skipped = survey.entries - report.limits.entries
      start += Tag.p(
        [.class: "note"], "Of the first \(skipped) entries, only those with findings are here, at ",
        "most \(report.limits.odd) of them: ",
        Tag.code([:], "rollcall replay \(report.source)"), " shows everything.")
    }
    start += Tag.p(
      [.class: "note paper"], "The XML of the records is in the web page, not on paper.")
    return start
  }

  private var filter: Markup {
    let choices = [
      ("all", "everything"), ("lasting", "without bursts of presence"), ("odd", "findings only"),
    ]
    let buttons = choices.map { name, word in
      let id = "show-\(name)"
      let input =
        name == "all"
        ? Tag.input([
          .type: "radio", .name: "show", .id: id, .autocomplete: "off", .checked: "checked",
        ])
        : Tag.input([.type: "radio", .name: "show", .id: id, .autocomplete: "off"])
      return input + Tag.label([.for: id], Markup(word))
    }
    return Tag.fieldset([.class: "filter"], [Tag.legend([:], "Show")] + buttons)
  }

  private var footer: Markup {
    let who =
      report.name == nil
      ? "Addresses, names, groups and texts are stand-ins, equal ones for equal originals; the "
        + "record numbers are those of rollcall export --redact."
      : "It has real names, addresses and texts: rollcall report --redact replaces them."
    return Tag.footer(
      [:],
      Tag.p(
        [:], "Made by rollcall \(RollcallVersion.current). All times are in \(report.zone). ",
        "Credentials were removed when the records were read. ", Markup(who)),
      Tag.p([:], "This page loads nothing and runs no script."))
  }
}
