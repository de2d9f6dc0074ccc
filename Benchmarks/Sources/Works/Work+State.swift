import CaptureGenerator
import EventStore
import Foundation
import RosterCore
import Rollcall
import XMPPStanza

// Works that compute rosters from events and logs.
extension Work {
  static let reduce = Work(
    "reduce events in place", per: "event", floor: .reduce, goal: .rate(1_500_000)
  ) { subject in
    let events = try subject.events()
    let last = UInt64(subject.capture.records)
    return Trial(units: events.count) {
      var roster = Roster()
      for (event, stamp) in events {
        _ = try RosterReducer.reduce(&roster, event.span.bytes, at: stamp)
      }
      roster.move(to: last)
      return { [roster] in try subject.capture.final.check(roster) }
    }
  }

  static let reduceKeeping = Work(
    "reduce, every 100th state kept", per: "event", floor: .reduce
  ) { subject in
    let events = try subject.events()
    let last = UInt64(subject.capture.records)
    return Trial(units: events.count) {
      var roster = Roster()
      var kept: [Roster] = []
      for (number, (event, stamp)) in events.enumerated() {
        _ = try RosterReducer.reduce(&roster, event.span.bytes, at: stamp)
        if number.isMultiple(of: 100) { kept.append(roster) }
      }
      roster.move(to: last)
      return { [roster, kept] in
        try expect(kept.count == (events.count + 99) / 100, "\(kept.count) states were kept")
        try subject.capture.final.check(roster)
      }
    }
  }

  static let rebuild = Work(
    "rebuild from stored events", per: "stanza", floor: .parse, goal: .ratio(0.4)
  ) { subject in
    try stateAtHead(subject, RecordReader.version)
  }

  static let rebuildRaw = Work(
    "rebuild from raw bytes", per: "stanza", floor: .parse
  ) { subject in
    // With another version, the log's stored events cannot be used.
    try stateAtHead(subject, RecordReader.version + 1)
  }

  private static func stateAtHead(_ subject: Case, _ version: UInt32) throws -> Trial {
    let path = subject.newPath()
    try subject.importCapture(to: path, version: version)
    // Drop the snapshots, so that the state is reduced from the first record on.
    try EventLog.open(at: path, access: .readWrite, eventVersion: version, mapSize: mapSize)
      .dropSnapshots()
    return Trial(units: subject.capture.ends.count) {
      let state = try Timeline(opened(path)).state(at: .head(minus: 0))
      return { try subject.capture.final.check(state.roster) }
    }
  }

  static let derive = Work(
    "derive events and index again", per: "stanza", floor: .parse
  ) { subject in
    let path = subject.newPath()
    var version = RecordReader.version + 1
    try subject.importCapture(to: path, version: version)
    return Trial(units: subject.capture.ends.count) {
      version = version == RecordReader.version ? version + 1 : RecordReader.version
      let log = try EventLog.open(
        at: path, access: .readWrite, eventVersion: version, mapSize: mapSize)
      try log.bringUpToDate()
      return {
        try expect(try log.derivedIsCurrent, "the derived parts are still old")
        if version == RecordReader.version { try checkHead(path, subject) }
      }
    }
  }

  static let state = Work(
    "state at a random point, cold", per: "state", goal: .nanoseconds(10e6), isSampled: true
  ) { subject in
    let path = try subject.log()
    var number = 0
    return Trial(units: 1) {
      let model = subject.capture.checkpoints[number % subject.capture.checkpoints.count]
      number += 1
      let state = try Timeline(opened(path)).state(at: .record(UInt64(model.record)))
      return { try model.check(state.roster) }
    }
  }

  static let records = Work(
    "records of one contact", per: "query", isSampled: true
  ) { subject in
    let path = try subject.log()
    let contacts = subject.capture.final.items.map(\.jid)
    let drafts = try subject.drafts()
    var number = 0
    return Trial(units: 1) {
      number += 1
      let contact = contacts[number * 7919 % contacts.count]
      let found = try Timeline(opened(path)).records(
        concerning: BareJID(prepared: contact), in: 1...UInt64.max)
      return {
        // Check only a few queries, because this scans all records.
        guard number <= 3 else { return }
        let known = drafts.indices.filter { drafts[$0].contacts.contains(contact) }
        try expect(found == Set(known.map { UInt64($0 + 1) }), "records of \(contact) are missing")
      }
    }
  }
}
