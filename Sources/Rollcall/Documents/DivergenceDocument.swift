package import Captures
import RosterCore
import XMPPStanza

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

  /// A push that one of two connections received, as `rollcall diff --connection A,B --json` lists
  /// it.
  package init(_ push: PushOfOne) {
    self = .object([
      "connection": .integer(Int64(push.connection.number)),
      "record": JSONValue(push.stamp.record), "time": JSONValue(time: push.stamp.time),
      "contact": .string(push.contact.text), "item": push.item.map { JSONValue($0) } ?? .null,
    ])
  }
}
