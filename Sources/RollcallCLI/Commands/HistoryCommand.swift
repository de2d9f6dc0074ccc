import ArgumentParser
import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

struct HistoryCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Shows what happened to one contact, and which stanza did it.",
    discussion: """
      Lists every record that goes to the contact, comes from it, names it or changed something \
      about it. Each entry says what the record changed or why it was ignored, which request it \
      belongs to, and, for names and groups, whether a set of ours asked for the change. The \
      messages with the contact, and the signs about them, are among the entries.

      Examples:
        rollcall history alice.rollcall bob@example.test
        rollcall history debug.log bob@example.test --at 120 --json
        rollcall history phone.log bob@example.test --also laptop.log
      """)

  @OptionGroup var source: FirstSourceOptions
  @OptionGroup var output: ListOutputOptions
  @OptionGroup var filter: RecordFilter

  @Argument(help: "The contact, \(contactHelp).")
  var contact: String

  func run() throws {
    let opened = try source.open()
    let contact = try opened.contact(contact)
    let chosen = try filter.chosen(in: opened)
    let timeline = opened.timeline
    let labels = try opened.naming { try ConnectionLabels(opened.log) }
    var isEmpty = true
    var document = output.list("history")
    let told = try opened.naming {
      try timeline.messages(of: contact, upTo: timeline.record(at: source.point))
    }
    var messages = try told.moments.filter { try chosen.includes($0) }[...]
    let shown = Set(messages.map(\.stamp.record))
    func sayMessages(before record: UInt64, _ roster: Roster) throws {
      while let message = messages.first, message.stamp.record < record {
        messages.removeFirst()
        isEmpty = false
        if output.isForMachines {
          try document.add(JSONValue(entry: message))
        } else {
          try Terminal.say(message.lines(labels, roster))
        }
      }
    }
    let (state, others) = try opened.naming {
      try timeline.history(of: contact, upTo: source.point) { entry, roster in
        let record = entry.moment.stamp.record
        try sayMessages(before: record, roster)
        guard try chosen.includes(entry.moment, entry.changes, entry.findings),
          output.isForMachines || !entry.isOfSessionAlone
        else { return }
        isEmpty = false
        guard output.isForMachines else { return try Terminal.say(entry.lines(labels, roster)) }
        if let message = messages.first, message.stamp.record == record {
          messages.removeFirst()
          try document.add(JSONValue(entry).adding(message))
        } else {
          try document.add(JSONValue(entry))
        }
      }
    }
    try sayMessages(before: .max, state.roster)
    let findings = try opened.naming {
      try told.late.map { ListedFinding.message($0) }.filter { try chosen.includes($0) }
        + timeline.findings(ending: state).filter {
          try $0.contact == contact && chosen.includes(ending: $0)
        }.map { ListedFinding.roster($0) }
    }
    if !findings.isEmpty { isEmpty = false }
    if !output.isForMachines { try Terminal.say(findings.map(\.line)) }
    if output.isForMachines {
      try document.finish([
        "contact": .string(contact.text), "account": JSONValue(state.account?.text),
        "findings": .array(findings.map { JSONValue($0) }),
        "others": .array(others.map { JSONValue($0) }),
      ])
    } else if !isEmpty || (!others.isEmpty && !filter.isSet) {
      let untold = others.filter { !shown.contains($0) }
      try Terminal.say(
        ["", summary(contact, state)]
          + (filter.isSet ? [] : Self.lines(untold, hasMessages: !shown.isEmpty)))
    }
    if isEmpty, filter.isSet { throw NothingFound(sentence: "no record of \(contact) matches") }
    if isEmpty, others.isEmpty {
      throw NothingFound(sentence: "nothing ever happened to \(contact)")
    }
  }

  /// A line about other records that concern the contact, and how to list them.
  private static func lines(_ others: [UInt64], hasMessages: Bool) -> [String] {
    guard let first = others.first else { return [] }
    let records =
      others.count == 1
      ? "#\(first) concerns it but means"
      : "\(others.count) more records concern it but mean"
    let what = hasMessages ? "the roster or to messages" : "the roster, such as messages"
    return [Style.dim("\(records) nothing to \(what): log --contact")]
  }

  /// The state of the contact at the end.
  private func summary(_ contact: BareJID, _ state: Timeline.State) -> String {
    let roster = state.roster
    var parts = [roster.item(contact)?.clause ?? "\(contact) is not in the roster"]
    if let request = roster.incoming[contact] { parts.append("asks us (#\(request.since.record))") }
    if let request = roster.unconfirmed[contact] {
      parts.append("asked us (#\(request.since.record)), unconfirmed")
    }
    if let request = roster.outgoing[contact] {
      parts.append("is asked by us (#\(request.since.record))")
    }
    return Style.bold("after record \(roster.position): \(parts.joined(separator: "; "))".visible)
  }
}

extension HistoryEntry {
  /// The record, the request it belongs to, and its effects on the contact.
  fileprivate func lines(_ labels: ConnectionLabels, _ roster: Roster) -> [String] {
    var head = moment.heading + labels.suffix(moment.connection, roster)
    if let handshake {
      head += Style.dim(" (\(handshake.clause))")
    }
    var lines = [head]
    lines += changes.forPeople.map { "    " + $0.line }
    if changes.isEmpty, findings.isEmpty { lines.append("    " + Style.dim("no change")) }
    lines += origins.map { "    " + labels.line($0, roster) }
    if let clause = origin?.clause { lines.append("    " + Style.dim(clause)) }
    return lines + findings.map { "    " + $0.line }
  }
}

extension HistoryEntry.Handshake {
  fileprivate var clause: String {
    switch side {
    case .ours: "our request of #\(since)"
    case .theirs: "its request of #\(since)"
    }
  }
}

extension HistoryEntry.Origin {
  /// What no earlier record says; nil if one does.
  fileprivate var clause: String? {
    switch self {
    case .ownSet: nil
    case .elsewhere: "no set of ours asked for it: another of our devices or the server changed it"
    case .fetch: "seen in a fetched roster, which does not say who changed it"
    }
  }
}
