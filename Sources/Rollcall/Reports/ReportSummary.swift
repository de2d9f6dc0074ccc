import ContactSections
import RosterCore
import XMPPStanza

/// The first part of a report: what the session comes to.
struct ReportSummary {
  let front: ReportFront

  /// How many contacts are named as the busiest, and how many of those who ask.
  private static let most = 10

  private var roster: Roster { front.state.roster }
  private var survey: ReportSurvey { front.survey }

  var markup: Markup {
    var markup = Tag.dl(
      [.class: "facts"],
      facts.map { number, name, more in
        Tag.div(
          [:], Tag.dt([:], Markup(number == 1 ? name : name + "s")),
          Tag.dd([:], Tag.span([.class: "count"], Markup(number.grouped)), Markup(more)))
      })
    if roster.completeness != .complete {
      markup += Tag.p([.class: "note"], Markup("Note: " + roster.completeness.clause + "."))
    }
    let columns = [first + waiting, busiest].filter { !$0.isEmpty }.map { Tag.div([:], $0) }
    if !columns.isEmpty { markup += Tag.div([.class: "columns"], columns) }
    return markup
  }

  /// A number, what it counts, and more about that.
  private var facts: [(number: Int, name: String, more: String)] {
    let friends = roster.entries.count { SectionPolicy.Friends.mutual.includes($0.value.item) }
    let summary = survey.summary
    let requests = roster.incoming.count + roster.outgoing.count
    let infos = summary.count(of: .info)
    return [
      (
        Int(clamping: front.report.last), "record",
        "\((summary.told - summary.fleeting).grouped) changed more than presence"
      ),
      (
        front.connections.count, "connection",
        survey.picture.lanes.isEmpty ? "" : survey.picture.lanes.count.of("device")
      ),
      (roster.itemCount, "contact", "\(friends.of("friend")) among them"),
      (
        requests, "open request",
        "\(roster.incoming.count) asking us, \(roster.outgoing.count) asked by us"
      ),
      (summary.count(of: .error), "error", ""),
      (summary.count(of: .warning), "warning", infos > 0 ? "and \(infos) for information" : ""),
    ]
  }

  /// What to look at first.
  private var first: Markup {
    let serious = survey.findings.filter { $0.code.severity != .info }
    guard !serious.isEmpty else { return Markup() }
    let items = serious.map { kind in
      let times = kind.count == 1 ? "once" : "\(kind.count.grouped) times"
      return Tag.li(
        [.class: "first"], kind.code.severity.badge,
        Tag.a([.place: kind.place], Markup(kind.code.rawValue)),
        Tag.span([.class: "faint"], Markup(times)))
    }
    return Tag.h3([:], "Look here first") + Tag.ul([:], items)
  }

  private var busiest: Markup {
    let busy = survey.summary.busiest(Self.most)
    guard let most = busy.first?.records else { return Markup() }
    let items = busy.map { contact, records in
      let width = max(1, records * 100 / most)
      return Tag.li(
        [.class: "busy"], who(contact),
        Tag.svg(
          [
            .viewBox: "0 0 100 6", .preserveAspectRatio: "none", .ariaHidden: "true",
            .xmlns: ReportDrawing.space,
          ],
          Tag.rect([.width: "\(width)", .height: "6"])),
        Tag.span([.class: "number"], Markup("\(records)")))
    }
    return Tag.h3([:], "Busiest contacts, by records") + Tag.ul([:], items)
  }

  /// Who waits for an answer.
  private var waiting: Markup {
    let asking = roster.incoming.prefix(Self.most).map { ($0.key, "asks us", $0.value.since) }
    let asked = roster.outgoing.prefix(Self.most).map { ($0.key, "we ask it", $0.value.since) }
    let items = (asking + asked).map { contact, words, since in
      Tag.li(
        [.class: "waiting"], who(contact),
        Tag.span(
          [.class: "faint"], Markup("\(words) since "),
          Tag.a([.place: "r\(since.record)"], Markup("#\(since.record)"))))
    }
    guard !items.isEmpty else { return Markup() }
    var markup = Tag.h3([:], "Requests that are open at the end") + Tag.ul([:], items)
    let rest = roster.incoming.count + roster.outgoing.count - items.count
    if rest > 0 {
      markup += Tag.p(
        [.class: "note"], "and \(rest) more: ",
        Tag.code([:], "rollcall requests \(front.report.source)"))
    }
    return markup
  }

  /// A contact by its name, where it has one, and its address.
  private func who(_ contact: BareJID) -> Markup {
    guard let name = roster.item(contact)?.name else {
      return Tag.span([.class: "who"], Markup(contact.text))
    }
    return Tag.span(
      [.class: "who"], Markup(name.shortened(to: 60)),
      Tag.span([.class: "faint"], Markup(" " + contact.text)))
  }
}

extension ReportSurvey.Kind {
  /// The place of the page where its findings are explained.
  var place: String { "finding-\(code.rawValue)" }
}

extension Int {
  /// The number with a comma before each three digits.
  var grouped: String {
    let digits = String(magnitude)
    let groups = stride(from: digits.count, to: 0, by: -3).reversed().map { end in
      digits.dropLast(digits.count - end).suffix(3)
    }
    return (self < 0 ? "-" : "") + groups.joined(separator: ",")
  }
}
