import Captures
import EventStore
import Rollcall
import RosterCore

extension OpenLog {
  /// `/api/log`: what the log is, and what of it fits into one glance.
  func logAnswer() throws -> JSONValue {
    let flags = index.flags
    return .object([
      "id": .string(try identity), "version": .string(Self.version),
      "account": JSONValue(index.state.account?.text), "head": JSONValue(head),
      "entries": .integer(Int64(index.entryCount)),
      "first": end(1), "last": end(head),
      "hasTimes": .bool(flags.hasTimes), "hasMilliseconds": .bool(flags.hasMilliseconds),
      "connections": .array(try connections), "sessions": .array(sessions),
      "devices": JSONValue(devices), "findings": findingCounts,
      "bookmarks": .array(try timeline.bookmarks.map { JSONValue($0) }),
      "complete": .bool(isComplete), "upTo": JSONValue(head), "records": JSONValue(end),
      "generation": .integer(Int64(generation)),
    ])
  }

  /// The code that made the index: another one may answer otherwise.
  private static let version = "\(RollcallVersion.current).\(RecordReader.version)"

  /// The digest of the first records: it stays the same while the log grows.
  private var identity: String {
    get throws {
      let first = try timeline.log.read { try $0.record(at: 1) }
      return (first.map { "\($0.pack.digest)" } ?? "empty") + (index.state.account?.text ?? "")
    }
  }

  private func end(_ record: UInt64) -> JSONValue {
    guard head > 0 else { return .null }
    return .object([
      "n": JSONValue(record), "t": Self.number(index.flags.clock(of: record)),
    ])
  }

  private var connections: [JSONValue] {
    get throws {
      let names = try timeline.log.meta.connections
      let sessions = Dictionary(grouping: index.sessions.all, by: \.connection.number)
      return index.connections.sorted { $0.key < $1.key }.map { number, span in
        let resources = sessions[number, default: []].compactMap(\.resource)
        return .object([
          "id": .integer(Int64(number)), "label": label(number), "name": JSONValue(names[number]),
          "resource": JSONValue(resources.last), "resources": JSONValue(Set(resources).sorted()),
          "first": JSONValue(span.lowerBound), "last": JSONValue(span.upperBound),
        ])
      }
    }
  }

  private var sessions: [JSONValue] {
    index.sessions.all.map { span in
      .object([
        "c": .integer(Int64(span.connection.number)), "label": label(span.connection.number),
        "from": JSONValue(span.first.record), "to": JSONValue(span.last?.record),
        "fromT": Self.number(time(of: span.first.record)),
        "toT": Self.number(span.last.flatMap { time(of: $0.record) }),
        "resumed": .bool(span.isResumed), "end": .string(span.end.rawValue),
      ])
    }
  }

  /// The labels of the connections with a session, in the order of their first ones.
  private var devices: [String] {
    var devices: [String] = []
    for span in index.sessions.all {
      let label = labels[span.connection.number]
      if !devices.contains(label) { devices.append(label) }
    }
    return devices
  }

  /// How many findings there are of each severity.
  var findingCounts: JSONValue {
    .object(
      Dictionary(
        uniqueKeysWithValues: Finding.Severity.allCases.map { severity in
          let count = index.count(of: severity) + ending.count { $0.severity == severity }
          return (severity.rawValue, .integer(Int64(count)))
        }))
  }
}
