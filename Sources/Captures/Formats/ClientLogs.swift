import XMPPStanza

// The logs of client programs and libraries. Each description is made from a real log or from the
// program's own format strings; `CaptureFormat.isTested` says which.

extension LineLog {
  /// Python's `logging` under slixmpp; the application chooses the text before the message.
  static let slixmpp = LineLog(
    markers: [
      Marker("RECV: ", .inbound), Marker("SEND: ", .outbound), Marker("SEND (IMMED): ", .outbound),
    ],
    prefix: LogPrefix.formatter,
    endings: [Array("connection_lost: ".utf8)],
    isOwnLine: { line in
      let own = ["RECV: <", "SEND: <", "Loaded Plugin: ", "Event triggered: "]
      return own.contains { text in
        guard let start = line.prefix(256).position(of: Array(text.utf8)) else { return false }
        return !LogPrefix.namesServerSession(line[..<start])
      }
    },
    mend: withoutDoubledPrefixes,
    hasSuffix: true,
    // Announces a stanza that is then sent and logged.
    passedOver: [Array("outgoing SM: ".utf8)])

  /// Removes doubled prefixes: slixmpp 1.17 writes `<stream:stream:features>`.
  private static func withoutDoubledPrefixes(_ xml: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var output: [UInt8] = []
    var rest = xml
    while let tag = rest.position(of: UInt8(ascii: "<")) {
      var start = tag + 1
      if start < rest.endIndex, rest[start] == UInt8(ascii: "/") { start += 1 }
      let prefix = rest[start...].prefix {
        $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      }
      let twice = Array(prefix) + [UInt8(ascii: ":")]
      if !prefix.isEmpty, rest[start...].starts(with: twice + twice) {
        output += rest[..<start]
        rest = rest[(start + twice.count)...]
      } else {
        output += rest[..<start]
        rest = rest[start...]
      }
    }
    return output.isEmpty ? xml : (output + rest)[...]
  }

  /// The log of profanity, whose XML libstrophe logs.
  static let profanity = LineLog(
    markers: [
      Marker(": xmpp: DBG: RECV: ", .inbound), Marker(": conn: DBG: SENT: ", .outbound),
    ],
    prefix: { text in
      guard !text.isEmpty, text.count <= 40, text.allSatisfy(clockBytes.contains) else {
        return nil
      }
      return Prefix(time: LogTime.isoTime(in: text))
    },
    endings: [Array(": prof: DBG: Connection handler: XMPP_CONN_DISCONNECT".utf8)],
    isOwnLine: { line in
      guard line.first?.isDigit == true else { return false }
      let areas = [": prof: ", ": xmpp: ", ": conn: "].map { Array($0.utf8) }
      return areas.contains { line.prefix(64).position(of: $0) != nil }
    })

  /// The bytes that times are written with.
  private static let clockBytes = Array("0123456789-/.:+TZ ".utf8)

  /// The default logger of libstrophe.
  static let libstrophe = LineLog(
    markers: [Marker("xmpp DEBUG RECV: ", .inbound), Marker("conn DEBUG SENT: ", .outbound)],
    prefix: { text in
      text.count <= 40 && text.allSatisfy(clockBytes.contains)
        ? Prefix(time: LogTime.isoTime(in: text)) : nil
    },
    endings: [Array("xmpp DEBUG Closing socket.".utf8)],
    isOwnLine: { line in
      var scanner = ByteScanner(line)
      let area = scanner.take { $0 != UInt8(ascii: " ") }
      let areas = ["xmpp", "conn", "event", "parser", "sock", "resolver", "tls"]
      return areas.contains { area.elementsEqual($0.utf8) }
        && [" DEBUG ", " INFO ", " WARN ", " ERROR "].contains {
          scanner.rest.starts(with: $0.utf8)
        }
    })

  /// gloox with a handler that prints like those of its examples.
  static let gloox = LineLog(
    markers: [Marker("area: 131072, ", .inbound), Marker("area: 262144, ", .outbound)],
    prefix: LogPrefix.formatter,
    endings: [],
    isOwnLine: { line in
      let head = line.prefix(128)
      return head.position(of: Array("level: ".utf8)) != nil
        && head.position(of: Array(" area: ".utf8)) != nil
    },
    mend: withOpenStreamHeader)

  /// Monal, which logs every stanza that it has parsed.
  static let monal = LineLog(
    markers: [
      Marker("RECV Stanza: ", .inbound), Marker("IDEMPOTENT_SEND: ", .outbound),
      Marker("SEND: ", .outbound),
    ],
    prefix: { monalPrefix($0) ?? LogPrefix.formatter($0) },
    endings: [],
    isOwnLine: { line in
      ["RECV Stanza: <", "RECV Stanza: {", "SEND: <", "[xmpp "].contains { text in
        guard let start = line.prefix(384).position(of: Array(text.utf8)) else { return false }
        return !LogPrefix.namesServerSession(line[..<start])
      }
    },
    hasSuffix: true,
    hint: Hint(
      markers: [Array("RECV Stanza: {".utf8)],
      message: """
        this log of an older Monal has only the names of the received elements, from which no \
        roster can be had; record with a newer version, or at the server
        """))

  /// Reads what Monal's loggers write before a message.
  ///
  /// The function, the thread and its queue differ from line to line:
  /// `12: 2026-11-21 07:25:14:147 [ DEBUG] Monal [1234:main (QOS:QOS_CLASS_UTILITY)]
  /// -[xmpp logStanza:withPrefix:] at Classes/xmpp.m:3346: `.
  private static func monalPrefix(_ text: ArraySlice<UInt8>) -> Prefix? {
    if let (rest, time) = LogPrefix.cocoa(text), rest.isEmpty { return Prefix(time: time) }
    var scanner = ByteScanner(text)
    guard let head = scanner.take(upTo: " (QOS:"), scanner.take(upTo: " at ") != nil,
      scanner.take(upTo: ".m:") != nil, scanner.number() != nil, scanner.skip(": "),
      scanner.rest.isEmpty
    else { return nil }
    return Prefix(time: LogTime.isoTime(in: head))
  }

  /// XMPPFramework, through NSLog or CocoaLumberjack.
  static let xmppFramework = LineLog(
    markers: [Marker("RECV: ", .inbound), Marker("SEND: ", .outbound)],
    prefix: { text in
      if text.isEmpty { return Prefix() }
      guard let (rest, time) = LogPrefix.cocoa(text), rest.isEmpty else { return nil }
      return Prefix(time: time)
    },
    endings: [],
    isOwnLine: { line in
      guard let (rest, _) = LogPrefix.cocoa(line) else { return false }
      var scanner = ByteScanner(rest)
      if scanner.skip("XMPPStream") { return true }
      guard scanner.skip("RECV") || scanner.skip("SEND") else { return false }
      _ = scanner.take(while: \.isDigit)
      return scanner.skip(": <")
    },
    mend: withOpenStreamHeader, hasNumbers: true)

  /// Reopens a received stream header, which gloox and XMPPFramework print as an empty element.
  private static func withOpenStreamHeader(_ xml: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard TopLevel.isStreamHeader(xml), xml.ends(with: Array("/>".utf8)) else { return xml }
    return (xml.dropLast(2) + [UInt8(ascii: ">")])[...]
  }
}

extension ChunkLog {
  /// aioxmpp under Python's `logging`.
  static let aioxmpp = ChunkLog(
    head: head(
      [LineLog.Marker("RECV b", .inbound), LineLog.Marker("SENT b", .outbound)],
      prefix: LogPrefix.formatter),
    isOwnLine: { line in
      ["RECV b'", "RECV b\"", "SENT b'", "SENT b\"", "aioxmpp."]
        .contains { line.prefix(256).position(of: Array($0.utf8)) != nil }
    },
    payload: .literal(Literal.python),
    omissions: ["<!-- some bytes omitted -->"])

  /// QXmpp's own logger.
  static let qxmpp = ChunkLog(
    head: head(
      [LineLog.Marker(" RECEIVED ", .inbound), LineLog.Marker(" SENT ", .outbound)],
      prefix: LogPrefix.calendarTime),
    isOwnLine: { line in
      guard LogPrefix.calendarTime(line.prefix(24)) != nil else { return false }
      return ["RECEIVED", "SENT", "DEBUG", "INFO", "WARNING"]
        .contains { line.dropFirst(25).starts(with: "\($0) ".utf8) }
    },
    ending: { line in
      guard LogPrefix.calendarTime(line.prefix(24)) != nil else { return nil }
      return line.dropFirst(24).elementsEqual(" DEBUG Socket disconnected".utf8)
        ? Ending(connection: "", time: LogPrefix.calendarTime(line.prefix(24))?.time) : nil
    })

  /// libpurple, which Pidgin and Finch use: `(07:19:12) jabber: Recv (ssl)(627): `.
  static let libpurple = ChunkLog(
    head: { line in
      var scanner = ByteScanner(line)
      guard scanner.digits("(00:00:00) ") != nil, scanner.skip("jabber: ") else { return nil }
      let direction: Direction
      if scanner.skip("Recv ") {
        direction = .inbound
      } else if scanner.skip("Sending ") {
        direction = .outbound
      } else {
        return nil
      }
      _ = scanner.skip("(ssl)")
      scanner.skipSpaces()
      guard scanner.skip("("), let name = scanner.take(upTo: "): ", limit: 4096) else {
        return nil
      }
      let count = direction == .inbound ? Int(String(decoding: name, as: UTF8.self)) : nil
      guard direction == .outbound || count != nil else { return nil }
      let connection = direction == .outbound ? String(decoding: name, as: UTF8.self) : ""
      return Head(
        direction: direction, connection: connection, payload: scanner.rest, count: count)
    },
    isOwnLine: { line in
      var scanner = ByteScanner(line)
      guard scanner.digits("(00:00:00) ") != nil else { return false }
      return !scanner.take { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }.isEmpty
        && scanner.skip(": ")
    },
    namesSendersOnly: true)

  /// loudmouth, as mcabber prints it: a line of dashes precedes the chunk.
  static let mcabber = ChunkLog(
    head: { line in
      guard let (text, time) = loudmouthMessage(line) else { return nil }
      var scanner = ByteScanner(text)
      if scanner.skip("SEND:"), scanner.rest.isEmpty {
        return Head(direction: .outbound, time: time, payload: scanner.rest)
      }
      guard scanner.skip("RECV ["), let count = scanner.number(), scanner.skip("]:"),
        scanner.rest.isEmpty
      else { return nil }
      return Head(direction: .inbound, time: time, payload: scanner.rest, count: count)
    },
    isOwnLine: { line in
      var scanner = ByteScanner(line)
      return scanner.digits("[0000-00-00 00:00:00] ") != nil
    },
    // Received chunks are in quotes, sent ones are not.
    payload: .verbatim(suffix: "'"),
    lead: { line in
      guard let (text, _) = loudmouthMessage(line), !text.starts(with: "-----".utf8) else {
        return nil
      }
      return text.first == UInt8(ascii: "'") ? text.dropFirst() : text
    }, passedOver: [Array("Unhandled IQ".utf8)])

  /// Returns the message and the time of `[2026-11-21 07:19:04] LM-NET: …`.
  private static func loudmouthMessage(
    _ line: ArraySlice<UInt8>
  ) -> (text: ArraySlice<UInt8>, time: LogTime?)? {
    var scanner = ByteScanner(line)
    guard scanner.digits("[0000-00-00 00:00:00] ") != nil, scanner.skip("LM-NET: ") else {
      return nil
    }
    return (scanner.rest, LogTime.isoTime(in: line.prefix(21)))
  }

  /// Net::XMPP, whose XML::Stream logs what it reads and sends.
  static let netXMPP = ChunkLog(
    head: head(
      [
        LineLog.Marker("XML::Stream: Read: buff(", .inbound),
        LineLog.Marker("XML::Stream: Send: (", .outbound),
      ],
      prefix: netXMPPPrefix),
    isOwnLine: { line in
      ["XML::Stream: ", "XMPP::Conn: ", "Jabber::"].contains { name in
        guard let start = line.prefix(64).position(of: Array(name.utf8)) else { return false }
        return netXMPPPrefix(line[..<start]) != nil
      }
    },
    payload: .verbatim(suffix: ")"), passedOver: [Array("SendWithID: in(".utf8)])

  private static func netXMPPPrefix(_ text: ArraySlice<UInt8>) -> LineLog.Prefix? {
    var scanner = ByteScanner(text)
    _ = scanner.digits("[00:00:00] ")
    return scanner.rest.isEmpty ? LineLog.Prefix() : nil
  }

  /// nbxmpp under Gajim:
  /// `11/21/26 07:29:25 (I) nbxmpp.connection | (capture) ::::: DATA SENT ::::`.
  static let gajim = ChunkLog(
    head: { line in
      guard let (message, time) = gajimMessage(line) else { return nil }
      var scanner = ByteScanner(message)
      guard scanner.skip("nbxmpp."), scanner.take(upTo: "| ", limit: 64) != nil,
        let account = scanner.take(upTo: "::::: DATA ", limit: 256)
      else { return nil }
      let direction: Direction
      if scanner.skip("RECEIVED ::::") {
        direction = .inbound
      } else if scanner.skip("SENT ::::") {
        direction = .outbound
      } else {
        return nil
      }
      guard scanner.rest.allSatisfy(\.isXMLSpace) else { return nil }
      let name = account.filter { !$0.isXMLSpace }
      return Head(
        direction: direction, connection: String(decoding: name, as: UTF8.self), time: time,
        payload: scanner.rest)
    },
    isOwnLine: { gajimMessage($0) != nil },
    lead: { $0.allSatisfy(\.isXMLSpace) ? nil : $0 })

  /// Returns the message after `11/21/26 07:29:25 (I) `, and the time.
  ///
  /// The locale decides how the date is written; only two unambiguous forms are read.
  private static func gajimMessage(
    _ line: ArraySlice<UInt8>
  ) -> (text: ArraySlice<UInt8>, time: LogTime?)? {
    var scanner = ByteScanner(line)
    let date = scanner.take { !$0.isXMLSpace }
    scanner.skipSpaces()
    guard (6...14).contains(date.count), let clock = scanner.digits("00:00:00") else { return nil }
    _ = scanner.skip(" AM") || scanner.skip(" PM")
    guard scanner.skip(" ("), scanner.take(1).first?.isLetter == true, scanner.skip(") ") else {
      return nil
    }
    var day = ByteScanner(date)
    var stamp: LogTime?
    if let numbers = day.digits("00/00/00"), day.rest.isEmpty {
      stamp = LogTime.local(2000 + numbers[2], numbers[0], numbers[1], clock)
    } else if let numbers = day.digits("0000-00-00"), day.rest.isEmpty {
      stamp = LogTime.local(numbers[0], numbers[1], numbers[2], clock)
    }
    return (scanner.rest, stamp)
  }

  /// Smack's debuggers: `07:19:12 SENT (0): <iq …>`, also in Android's log; and asmack's
  /// (`AndroidDebugger.java`): `07:19:12 下午 RCV  (1122240984): <iq …>`, whose clock is in
  /// the phone's language and whose number is the connection's hash code.
  static let smack = ChunkLog(
    head: { line in
      var scanner = ByteScanner(line)
      skipSmackClock(&scanner)
      let direction: Direction
      if scanner.skip("SENT (") {
        direction = .outbound
      } else if scanner.skip("RECV (") || scanner.skip("RCV  (") {
        direction = .inbound
      } else {
        return nil
      }
      guard let counter = scanner.take(upTo: "):", limit: 16),
        counter.drop(while: { $0 == UInt8(ascii: "-") }).allSatisfy(\.isDigit)
      else { return nil }
      _ = scanner.skip(" ")
      return Head(
        direction: direction, connection: String(decoding: counter, as: UTF8.self),
        payload: scanner.rest)
    },
    isOwnLine: { line in
      var scanner = ByteScanner(line)
      skipSmackClock(&scanner)
      guard
        ["SENT (", "RECV (", "RCV  (", "RCV PKT (", "User logged (", "XMPPConnection "]
          .contains(where: { scanner.rest.starts(with: $0.utf8) })
      else { return false }
      return true
    },
    // Repeats a received packet as it was parsed.
    passedOver: [Array("RCV PKT (".utf8)])

  /// Skips `07:19:12 `, `07:19:12 AM ` in any language, or the prefix of java.util.logging.
  private static func skipSmackClock(_ scanner: inout ByteScanner) {
    for level in ["FINE: ", "FINER: ", "INFO: ", "DEBUG: "] where scanner.skip(level) { return }
    guard scanner.digits("00:00:00 ") != nil else { return }
    guard !smackWords.contains(where: { scanner.rest.starts(with: $0.utf8) }) else { return }
    var half = scanner
    let word = half.take { !$0.isXMLSpace }
    if word.count <= 16, half.skip(" ") || half.skip("\u{A0}") { scanner = half }
  }

  private static let smackWords = ["SENT (", "RECV (", "RCV ", "User logged (", "XMPPConnection "]
}
