import Foundation
import Rollcall
import RollcallCLI
import RosterProxy

/// Prints what a proxy records, line by line, with a status line on a terminal.
@MainActor final class RecordConsole {
  private let proxy: RecordingProxy
  private var story = ProxyStory()
  private var status = StatusLine()

  init(_ proxy: RecordingProxy) { self.proxy = proxy }

  /// Prints events until the process is asked to end.
  func run() async throws {
    let telling = Task { @MainActor in
      for await event in proxy.events { try show(event) }
    }
    var rounds = 0
    while !Ending.isAsked {
      // A person cannot read the status faster than that.
      if rounds % 4 == 0 { status.show(proxy.counts.words) }
      rounds += 1
      try await Task.sleep(for: .milliseconds(50))
    }
    status.clear()
    do {
      try await proxy.stop()
    } catch {
      throw Failure("the end of the traffic could not be recorded: \(error)")
    }
    try await telling.value
    status.clear()
    try Terminal.say(proxy.counts.words)
  }

  private func show(_ event: ProxyEvent) throws {
    status.clear()
    for line in story.lines(of: event, counts: proxy.counts) { try Terminal.say(line) }
    try Terminal.flush()
    if !Ending.isAsked { status.show(proxy.counts.words) }
  }
}

/// The events of a proxy as lines.
struct ProxyStory {
  private var accounts: [Int: BareJID] = [:]

  mutating func lines(of event: ProxyEvent, counts: ProxyCounts) -> [String] {
    switch event {
    case .accepted(let number, let from): return ["#\(number) a client connects from \(from)"]
    case .bound(let number, let account, let path):
      accounts[number] = account
      return ["#\(number) \(account) is recorded in \(path)"]
    case .found(let number, let account, let findings):
      return findings.map { "#\(number) \(account.map { "\($0) " } ?? "")\($0.line)" }
    case .late(let delay):
      return [
        "the disk is slow: traffic is on it after \(delay) ms, and further traffic waits for that"
      ]
    case .over(let number, let failure):
      let who = accounts.removeValue(forKey: number).map { "\($0) " } ?? ""
      return ["#\(number) \(who)has ended\(failure.map { ": \($0)" } ?? "")  [\(counts.words)]"]
    }
  }
}

extension ProxyCounts {
  /// All counts on one line.
  var words: String {
    let all = "\(open) of \(connections) connections open, \(records) records, \(findings) findings"
    return all + (delay.map { ", on the disk after \($0) ms" } ?? "")
  }
}
