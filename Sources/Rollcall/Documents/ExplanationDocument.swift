package import Captures

extension JSONValue {
  /// An explanation as `rollcall why --json` prints it.
  package init(_ explanation: Explanation, _ state: Timeline.State) {
    self = .object([
      "account": JSONValue(state.account?.text),
      "at": JSONValue(state.roster.position),
      "time": JSONValue(time: state.time),
      "contact": .string(explanation.contact.text),
      "state": .string(explanation.state.rawValue),
      "answers": .object(
        Dictionary(
          uniqueKeysWithValues: explanation.topics.map { topic in
            (
              topic.subject.rawValue,
              .object([
                "answer": .string(topic.verdict.rawValue), "because": JSONValue(topic.reasons),
                "changesWhen": JSONValue(topic.change),
              ])
            )
          })),
      "findings": .array(explanation.findings.map { JSONValue($0) }),
    ])
  }
}
