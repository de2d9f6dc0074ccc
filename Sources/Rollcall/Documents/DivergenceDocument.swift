package import Captures

extension JSONValue {
  /// What two sources hold differently, as `rollcall diff --json` lists it.
  package init(_ source: SourceDifference) {
    self = JSONValue(StateDiff.Item(difference: source.difference, cause: source.cause))
      .adding(["recordBefore": JSONValue(source.recordBefore)])
  }

  /// Where two sources agree for the last time, and what parts them.
  package init(_ divergence: TimelineDivergence) {
    let agreed: JSONValue =
      divergence.agreed.map {
        .object(["first": JSONValue($0.first), "second": JSONValue($0.second)])
      } ?? .null
    self = .object([
      "agreed": agreed,
      "parted": .object([
        "first": divergence.parted.first.map { JSONValue($0) } ?? .null,
        "second": divergence.parted.second.map { JSONValue($0) } ?? .null,
      ]),
    ])
  }
}
