/// The part of a report that says whether the two ends of the subscriptions with one contact agree.
struct ReportEnds {
  let ends: TwoEnds

  var markup: Markup { Markup(ends.answers.map(article)) }

  private func article(_ answer: TwoEnds.Answer) -> Markup {
    var parts = [
      Tag.header(
        [:], Tag.h3([:], Markup(answer.question)), Tag.span([.class: "faint"], Markup(answer.word)))
    ]
    parts += answer.reasons.map { Tag.p([:], Markup($0)) }
    if !answer.repairs.isEmpty {
      parts.append(
        Tag.dl(
          [.class: "guide"], Tag.dt([:], "What would repair it"),
          Markup(answer.repairs.map { Tag.dd([:], Markup($0)) })))
    }
    return Tag.article([.class: "finding"], parts)
  }
}
