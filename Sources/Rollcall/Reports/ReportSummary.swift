import ContactSections
import RosterCore
import XMPPStanza

/// The first part of a report: the totals of the session.
struct ReportSummary {
  let front: ReportFront

  /// The maximum length of the list of busiest contacts, and of the lists of requests.
  private static let listLimit = 10

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
    let columns = [mostSerious + openRequests, busiest].filter { !$0.isEmpty }.map {
      Tag.div([:], $0)
    }
    if !columns.isEmpty { markup += Tag.div([.class: "columns"], columns) }
    return markup
  }

  /// Numbers, each with what it counts and more about it.
  private var facts: [(number: Int, name: String, more: String)] {
    let friends = roster.friends().count
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
      (
        roster.itemCount, "contact",
        roster.isKnownInPart ? "\(friends.of("friend")) among them" : "the roster is unknown"
      ),
      (
        requests, "open request",
        "\(roster.incoming.count) asking us, \(roster.outgoing.count) asked by us"
      ),
      (summary.count(of: .error), "error", ""),
      (summary.count(of: .warning), "warning", infos > 0 ? "and \(infos) for information" : ""),
    ]
  }

  /// The kinds of findings to look at first.
  private var mostSerious: Markup {
    let serious = survey.findings.filter { $0.severity != .info }
    guard !serious.isEmpty else { return Markup() }
    let items = serious.map { kind in
      let times = kind.count == 1 ? "once" : "\(kind.count.grouped) times"
      return Tag.li(
        [.class: "first"], kind.severity.badge,
        Tag.a([.fragment: kind.elementID], Markup(kind.code.rawValue)),
        Tag.span([.class: "faint"], Markup(times)))
    }
    return Tag.h3([:], "Look here first") + Tag.ul([:], items)
  }

  private var busiest: Markup {
    let busy = survey.summary.busiest(Self.listLimit)
    guard let maximum = busy.first?.records else { return Markup() }
    let items = busy.map { contact, records in
      let width = max(1, records * 100 / maximum)
      return Tag.li(
        [.class: "busy"], who(contact),
        Tag.svg(
          [
            .viewBox: "0 0 100 6", .preserveAspectRatio: "none", .ariaHidden: "true",
            .xmlns: ReportDrawing.namespace,
          ],
          Tag.rect([.width: "\(width)", .height: "6"])),
        Tag.span([.class: "number"], Markup("\(records)")))
    }
    return Tag.h3([:], "Busiest contacts, by records") + Tag.ul([:], items)
  }

  /// The requests that wait for an answer.
  private var openRequests: Markup {
    let asking = roster.incoming.prefix(Self.listLimit).map { ($0.key, "asks us", $0.value.since) }
    let asked = roster.outgoing.prefix(Self.listLimit).map { ($0.key, "we ask it", $0.value.since) }
    let items = (asking + asked).map { contact, words, since in
      Tag.li(
        [.class: "waiting"], who(contact),
        Tag.span(
          [.class: "faint"], Markup("\(words) since "),
          Tag.a([.fragment: "r\(since.record)"], Markup("#\(since.record)"))))
    }
    guard !items.isEmpty else { return Markup() }
    var markup = Tag.h3([:], "Requests open at the end") + Tag.ul([:], items)
    let rest = roster.incoming.count + roster.outgoing.count - items.count
    if rest > 0 {
      markup += Tag.p(
        [.class: "note"], "and \(rest) more: ",
        Tag.code([:], "rollcall requests \(front.report.source)"))
    }
    return markup
  }

  /// The name of a contact, if it has one, and its address.
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
  /// The `id` of the element that explains the findings of this kind.
  var elementID: String {
    let name = "finding-\(code.rawValue)"
    return severity == code.severity ? name : "\(name)-\(severity.rawValue)"
  }
}

extension Int {
  /// The number with commas between groups of three digits.
  var grouped: String {
    let digits = String(magnitude)
    let groups = stride(from: digits.count, to: 0, by: -3).reversed().map { end in
      digits.dropLast(digits.count - end).suffix(3)
    }
    return (self < 0 ? "-" : "") + groups.joined(separator: ",")
  }
}
