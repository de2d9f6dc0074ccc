import Foundation
import Rollcall
import RollcallCLI
import RosterClient
import RosterProxy

/// Prints what a proxy records, line by line, with a status line on a terminal.
@MainActor final class RecordConsole {
  private let proxy: RecordingProxy
  private var story: ProxyStory
  private var status = StatusLine()

  /// - Parameter authority: The path of the certificate that clients have to trust.
  init(_ proxy: RecordingProxy, authority: String) {
    self.proxy = proxy
    story = ProxyStory(authority: authority)
  }

  /// Prints events until the process is asked to end.
  func run() async throws {
    let telling = Task { @MainActor in
      for await event in proxy.events { try show(event) }
    }
    var rounds = 0
    while !Ending.isAsked {
      // A person cannot read the status faster than that.
      if rounds % 4 == 0 {
        let counts = proxy.counts
        if let line = story.line(ofDelay: counts.delay) { try say([line]) }
        status.show(counts.words)
      }
      rounds += 1
      try await Task.sleep(for: .milliseconds(50))
    }
    status.clear()
    do {
      try await proxy.stop()
    } catch {
      throw Failure("the end of the traffic could not be recorded: \(sentence(of: error))")
    }
    try await telling.value
    status.clear()
    try Terminal.say(proxy.counts.words)
  }

  private func show(_ event: ProxyEvent) throws {
    try say(story.lines(of: event, counts: proxy.counts))
    if !Ending.isAsked { status.show(proxy.counts.words) }
  }

  private func say(_ lines: [String]) throws {
    status.clear()
    for line in lines { try Terminal.say(line) }
    try Terminal.flush()
  }
}

/// The events of a proxy as lines.
struct ProxyStory {
  /// The path of the certificate that clients have to trust.
  let authority: String
  private var accounts: [Int: BareJID] = [:]
  private var isDiskSlow = false

  init(authority: String) { self.authority = authority }

  mutating func lines(of event: ProxyEvent, counts: ProxyCounts) -> [String] {
    switch event {
    case .accepted(let number, let from): return ["#\(number) a client connects from \(from)"]
    case .bound(let number, let account, let path):
      accounts[number] = account
      return ["#\(number) \(account) is recorded in \(path)"]
    case .found(let number, let account, let findings):
      return findings.map { "#\(number) \(account.map { "\($0) " } ?? "")\($0.line)" }
    case .loginRefused(let number, let name, let report, let path):
      let who = name.map { " of \($0)" } ?? ""
      let kept = path.map { "; kept in \($0)" } ?? ""
      return ["#\(number) the server refused the login\(who) (\(report.clause))\(kept)"]
    case .over(let number, let end):
      let who = accounts.removeValue(forKey: number).map { "\($0) " } ?? ""
      let help = end.failure.map { advice(on: $0) } ?? ""
      return ["#\(number) \(who)ended: \(end)\(help)  [\(counts.words)]"]
    }
  }

  /// What the user can do about a failure, to follow its sentence.
  private func advice(on failure: ProxyFailure) -> String {
    if failure.isClientsDistrust { return "; add \(authority) to the certificates that it trusts" }
    if case .certificate(.untrusted) = failure { return Self.upstreamAdvice }
    if case .certificate(.selfSigned) = failure { return Self.upstreamAdvice }
    return ""
  }

  private static let upstreamAdvice =
    ": --upstream-authority FILE names an authority to trust in servers"

  /// The line that says that the disk is slow, or is no longer.
  ///
  /// - Parameter delay: The recent delay in milliseconds; nil unless the disk is slow.
  mutating func line(ofDelay delay: Int64?) -> String? {
    defer { isDiskSlow = delay != nil }
    switch (isDiskSlow, delay) {
    case (false, let delay?):
      return "the disk is slow: what was passed on reached it \(delay) ms later; "
        + "reading waits for it"
    case (true, nil): return "the disk is fast enough again"
    case (false, nil), (true, _?): return nil
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
