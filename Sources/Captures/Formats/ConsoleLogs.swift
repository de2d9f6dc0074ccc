import XMPPStanza

// The contents of XML consoles, saved or copied: a line that gives the direction of an element, and
// the element below it or after it.
extension ChunkLog {
  /// The console of Beagle and Siskin, which are built on Martin:
  /// `<!--   2022-07-26T23:56:58Z   >>>>   -->`.
  static let beagle = ChunkLog(
    head: { line in
      var scanner = ByteScanner(line)
      guard scanner.skip("<!-- ") else { return nil }
      scanner.skipSpaces()
      let stamp = scanner.take { !$0.isXMLSpace }
      scanner.skipSpaces()
      let direction: Direction
      if scanner.skip(">>>>") {
        direction = .outbound
      } else if scanner.skip("<<<<") {
        direction = .inbound
      } else {
        return nil
      }
      scanner.skipSpaces()
      guard scanner.skip("-->"), scanner.rest.allSatisfy(\.isXMLSpace) else { return nil }
      return Head(
        direction: direction, time: LogTime.isoTime(in: stamp), payload: scanner.rest)
    },
    isOwnLine: { line in
      line.starts(with: "<!-- ".utf8) && line.ends(with: Array("-->".utf8))
        && [">>>>", "<<<<"].contains { line.prefix(64).position(of: Array($0.utf8)) != nil }
    },
    lead: lineWithText,
    mend: { line in
      // Beagle shows a received header with two versions.
      let second = Array("  version='1.0' xmlns='jabber:client'".utf8)
      guard line.starts(with: "<stream:stream ".utf8), let start = line.position(of: second),
        line[..<start].position(of: Array(" version='".utf8)) != nil
      else { return line }
      return line[..<start] + " xmlns='jabber:client'".utf8 + line[(start + second.count)...]
    },
    isWhole: true)

  /// The console of Gajim: `<!-- Incoming Sat Nov 21 07:16:07 2026 (account) -->`.
  static let gajimConsole = ChunkLog(
    head: { line in
      var scanner = ByteScanner(line)
      guard scanner.skip("<!-- ") else { return nil }
      let direction: Direction
      if scanner.skip("Incoming ") {
        direction = .inbound
      } else if scanner.skip("Outgoing ") {
        direction = .outbound
      } else {
        return nil
      }
      guard let stamp = scanner.take(upTo: " ("), let account = scanner.take(upTo: ") -->") else {
        return nil
      }
      return Head(
        direction: direction, connection: String(decoding: account, as: UTF8.self),
        time: LogPrefix.calendarTime(stamp)?.time, payload: scanner.rest)
    },
    isOwnLine: { line in
      ["<!-- Incoming ", "<!-- Outgoing "].contains { line.starts(with: $0.utf8) }
    },
    lead: lineWithText,
    isWhole: true)

  /// xmpp.js with `@xmpp/debug`, or its older `XMPP_DEBUG`.
  static let xmppJS = ChunkLog(
    head: { line in
      for (marker, direction) in xmppJSMarkers {
        var scanner = ByteScanner(line)
        guard scanner.skip(marker) else { continue }
        scanner.skipSpaces()
        return Head(direction: direction, payload: scanner.rest)
      }
      guard let direction = xmppJSDirection(line) else { return nil }
      return Head(direction: direction, payload: line.suffix(0))
    },
    isOwnLine: { line in
      xmppJSDirection(line) != nil
        || (xmppJSMarkers.map(\.0) + ["🛈    "]).contains { line.starts(with: $0.utf8) }
    },
    lead: lineWithText,
    isWhole: true)

  private static let xmppJSMarkers: [(String, Direction)] = [
    ("⮈ IN ", .inbound), ("⮊ OUT", .outbound),
  ]

  private static func xmppJSDirection(_ line: ArraySlice<UInt8>) -> Direction? {
    if line.elementsEqual("IN".utf8) { return .inbound }
    return line.elementsEqual("OUT".utf8) ? .outbound : nil
  }

  /// A browser's console under Converse.js: `… 2026-11-21T07:19:12.123Z DEBUG: <iq …>`.
  ///
  /// Some browsers also save the color that shows the direction, after the element.
  static let converse = ChunkLog(
    head: { line in
      guard let start = line.prefix(512).position(of: Array(" DEBUG: <".utf8)),
        LogTime.isoTime(in: line[..<start].suffix(24)) != nil
      else { return nil }
      return Head(
        time: LogTime.isoTime(in: line[..<start].suffix(24)), payload: line[(start + 8)...])
    },
    isOwnLine: { line in
      guard let start = line.prefix(512).position(of: Array(" DEBUG: ".utf8)) else { return false }
      return line[..<start].suffix(24).first?.isDigit == true
        && line[..<start].last == UInt8(ascii: "Z")
        && LogTime.isoTime(in: line[..<start].suffix(24)) != nil
        && line[(start + 8)...].first == UInt8(ascii: "<")
    },
    mend: { line in
      for style in ["color: darkgoldenrod", "color: darkcyan"]
      where line.ends(with: Array(style.utf8)) {
        let rest = line.dropLast(style.utf8.count)
        return rest.prefix(rest.count - rest.reversed().prefix(while: \.isXMLSpace).count)
      }
      return line
    },
    isWhole: true)

  /// Swiften's `ClientXMLTracer`, and so Swift's console (`ClientXMLTracer.cpp`).
  ///
  /// A line of 80 `<` precedes the bytes of a read, a line of 80 `>` those of a write.
  static let swiften = ChunkLog(
    head: { line in
      swiftenDirection(line).map { Head(direction: $0, payload: line.suffix(0)) }
    },
    isOwnLine: { swiftenDirection($0) != nil },
    lead: lineWithText)

  private static func swiftenDirection(_ line: ArraySlice<UInt8>) -> Direction? {
    guard line.count == 80, let sign = line.first, line.allSatisfy({ $0 == sign }) else {
      return nil
    }
    return sign == UInt8(ascii: "<") ? .inbound : sign == UInt8(ascii: ">") ? .outbound : nil
  }

  /// A browser's console or a page under Strophe.js, written as in its `examples/basic.js`:
  /// `RECV: ` and `SENT: `, with BOSH's bodies around the stanzas.
  static let strophe = ChunkLog(
    head: stropheHead,
    isOwnLine: { line in
      stropheHead(line) != nil || line.prefix(256).position(of: Array("Strophe is ".utf8)) != nil
    },
    isWhole: true)

  @Sendable private static func stropheHead(_ line: ArraySlice<UInt8>) -> Head? {
    let found = head(
      [LineLog.Marker("RECV:", .inbound), LineLog.Marker("SENT:", .outbound)],
      prefix: LogPrefix.console)(line)
    return found?.payload.withoutLeadingSpace.first == UInt8(ascii: "<") ? found : nil
  }

  @Sendable static func lineWithText(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    line.allSatisfy(\.isXMLSpace) ? nil : line
  }
}
