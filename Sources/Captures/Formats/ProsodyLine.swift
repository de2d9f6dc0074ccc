import XMPPStanza

/// A line of Prosody's log, in the forms that its sinks and their carriers write:
///
///     Nov 21 07:02:24 c2s56226dc4bbc0<TAB>debug<TAB>RECV: …     a file
///     c2s56226dc4bbc0     debug<TAB>RECV: …                     the console, docker logs
///     c2s56226dc4bbc0: RECV: …                                  syslog and the journal
///
/// Other white space may have replaced the tabs.
enum ProsodyLine {
  /// Reads the text before a message of a client's session; returns nil for any other text.
  ///
  /// Sessions of clients are named `c2s` with a number, or `bosh` with their id. A mark replaces
  /// the id, because it is enough to take over the session (XEP-0124 §15.2). If a collector put a
  /// text before the name, only its time is read.
  @Sendable static func clientPrefix(_ text: ArraySlice<UInt8>) -> LineLog.Prefix? {
    guard text.count <= maximumPrefix, let name = nameBeforeMessage(text), isClient(name) else {
      return nil
    }
    let before = text[..<name.startIndex]
    return LineLog.Prefix(
      connection: connection(name),
      time: LogTime.monthTime(before) ?? LogTime.isoTime(in: before),
      shape: isClock(before) ? nil : LogPrefix.shape(of: before))
  }

  /// Reads why the server ends a stream: `c2s stream for alice@example.test/pc closed: reset`.
  ///
  /// Nil for any other line, and if only the words for an end without a reason follow. A resource
  /// may have any words, so the last of those that separate the reason does.
  @Sendable static func endReason(_ line: ArraySlice<UInt8>) -> LineLog.EarlierReason? {
    let closed = Array(" closed: ".utf8)
    guard let start = line.prefix(maximumPrefix).position(of: Array("c2s stream for ".utf8)),
      let prefix = clientPrefix(line[..<start]), let end = line[start...].lastPosition(of: closed),
      let reason = reason(line[(end + closed.count)...])
    else { return nil }
    return LineLog.EarlierReason(connection: prefix.connection, reason: reason)
  }

  /// The reason in a text; nil for the words that Prosody writes if it knows none.
  static func reason(_ text: ArraySlice<UInt8>) -> String? {
    EndReason.reason(text).flatMap { ["session closed", "session close"].contains($0) ? nil : $0 }
  }

  /// The reason after the message that reports the end of a connection.
  @Sendable static func reason(following text: ArraySlice<UInt8>) -> String? {
    text.starts(with: ": ".utf8) ? reason(text.dropFirst(2)) : nil
  }

  private static func connection(_ name: ArraySlice<UInt8>) -> String {
    guard name.starts(with: binding.utf8), name.count > binding.utf8.count else {
      return String(decoding: name, as: UTF8.self)
    }
    let id = String(decoding: name.dropFirst(binding.utf8.count), as: UTF8.self)
    return "\(binding) \(Credentials.mark(ofID: id))"
  }

  private static let binding = "bosh"

  /// Whether a line is Prosody's, whatever its message.
  @Sendable static func isProsody(_ line: ArraySlice<UInt8>) -> Bool {
    let head = line.prefix(maximumPrefix)
    for marker in ["RECV: <", "SEND: <", "RECV(", "SEND("] {
      if let start = head.position(of: Array(marker.utf8)),
        clientPrefix(line[..<start]) != nil
      {
        return true
      }
    }
    let words = head.split(maxSplits: 5, whereSeparator: \.isXMLSpace)
    guard let level = words.prefix(5).firstIndex(where: isLevel) else {
      return words.first.map {
        $0.last == UInt8(ascii: ":") && isProsodyComponent($0.dropLast())
      } ?? false
    }
    guard level > 0, words.count > level + 1, isClock(head[..<words[level - 1].startIndex]) else {
      return false
    }
    // Other programs also write a name and a level, but only Prosody has a tab after the level.
    return line[words[level].endIndex] == UInt8(ascii: "\t") || isProsodyComponent(words[level - 1])
  }

  /// The maximum length of the text before a message, including what collectors add.
  private static let maximumPrefix = 256

  /// The name of the logging component, if a level and white space follow it, or a colon.
  private static func nameBeforeMessage(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard text.last?.isXMLSpace == true else { return nil }
    let words = text.suffix(128).split(whereSeparator: \.isXMLSpace).suffix(2)
    guard let last = words.last else { return nil }
    if isLevel(last) { return words.count == 2 ? words.first : nil }
    return last.last == UInt8(ascii: ":") ? last.dropLast() : nil
  }

  private static func isLevel(_ word: ArraySlice<UInt8>) -> Bool {
    ["debug", "info", "warn", "error"].contains { word.elementsEqual($0.utf8) }
  }

  private static func isClient(_ name: ArraySlice<UInt8>) -> Bool {
    ["c2s", binding].contains { isSession(name, of: $0) }
  }

  /// Whether a name is one that only Prosody gives to its components.
  private static func isProsodyComponent(_ name: ArraySlice<UInt8>) -> Bool {
    isClient(name) || ["s2sin", "s2sout", "jcp"].contains { isSession(name, of: $0) }
      || name.starts(with: "mod_".utf8)
      || ["rostermanager", "modulemanager", "hostmanager", "storagemanager", "portmanager"]
        .contains { name.elementsEqual($0.utf8) }
  }

  private static func isSession(_ name: ArraySlice<UInt8>, of kind: String) -> Bool {
    name.starts(with: kind.utf8)
      && name.dropFirst(kind.utf8.count).allSatisfy { $0.hexValue != nil || "-_".utf8.contains($0) }
  }

  /// Whether a text is empty or only a time.
  private static func isClock(_ text: ArraySlice<UInt8>) -> Bool {
    let words = text.split(whereSeparator: \.isXMLSpace)
    switch words.count {
    case 0: return true
    case 3: return LogTime.monthTime(text) != nil
    case 1, 2: return words[0].first?.isDigit == true && LogTime.isoTime(in: text) != nil
    default: return false
    }
  }
}
