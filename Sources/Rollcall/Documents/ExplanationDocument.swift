package import Captures

extension JSONValue {
  /// An explanation as `rollcall why --json` prints it.
  package init(_ explanation: Explanation, _ state: Timeline.State) {
    let answers = explanation.topics.map { ($0.subject.rawValue, JSONValue($0)) }
    self = .object([
      "account": JSONValue(state.account?.text),
      "at": JSONValue(state.roster.position),
      "time": JSONValue(time: state.time),
      "contact": .string(explanation.contact.text),
      "state": .string(explanation.state.rawValue),
      "answers": .object(Dictionary(answers) { first, _ in first }),
      "findings": .array(explanation.findings.map { JSONValue($0) }),
    ])
  }

  private init(_ topic: Explanation.Topic) {
    self = .object([
      "answer": .string(topic.verdict.rawValue),
      "because": JSONValue(topic.reasons.map(\.sentence)),
      "reasons": .array(topic.reasons.map { JSONValue($0) }),
      "changesWhen": JSONValue(topic.change),
    ])
  }

  private init(_ reason: Explanation.Reason) {
    self = .object([
      "code": .string(reason.code.rawValue),
      "records": .array(reason.records.map { JSONValue($0) }),
    ])
  }
}
