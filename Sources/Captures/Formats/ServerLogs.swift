import XMPPStanza

// The logs of servers: what a server received is what the client sent.

extension LineLog {
  /// The debug log of Prosody with mod_stanza_debug: its RECV is what the client sent.
  static let prosody = LineLog(
    markers: [Marker("RECV: ", .outbound), Marker("SEND: ", .inbound)],
    announcements: [streamError], prefix: ProsodyLine.clientPrefix,
    endings: [Array("Client disconnected".utf8), Array("BOSH client disconnected".utf8)],
    endReason: ProsodyLine.reason(following:), reason: ProsodyLine.endReason,
    streamEnds: prosodyStreamEnds,
    isOwnLine: ProsodyLine.isProsody,
    hint: Hint(
      markers: [Array("Received[c2s".utf8), Array("Sending[c2s".utf8)],
      message: """
        this log has only the head tags of stanzas, from which no roster can be had; load \
        mod_stanza_debug in Prosody's modules_enabled and record again
        """, advised: stanzaDebug), passedOver: prosodyPassedOver)

  /// The stream error that Prosody sends as text, so that mod_stanza_debug does not see it.
  private static let streamError = Marker("Disconnecting client, <stream:error> is: ", .inbound)

  /// The text before that stream error, which mod_rawdebug logs once more as it sends it.
  static let streamErrorText = Array("Disconnecting client, ".utf8)

  /// The messages of both ends of a stream, of which mod_stanza_debug sees neither.
  private static let prosodyStreamEnds =
    [Marker("Received </stream:stream>", .outbound)]
    + ["c2s", "c2s_unbound", "c2s_unauthed"].map {
      Marker("Sending[\($0)]: </stream:stream>", .inbound)
    }

  /// The texts in lines of mod_stanza_debug.
  private static let stanzaDebug = ["RECV: <", "SEND: <"].map { Array($0.utf8) }

  /// The texts that mark lines with a repeated head tag, and lines of sessions between servers.
  static let prosodyPassedOver = [
    "Received[", "Sending[", "Received </stream", "BOSH stanza received", "request table: ",
    "s2sin", "s2sout",
  ].map { Array($0.utf8) }

  /// The debug log of Prosody without mod_stanza_debug, which has the head tag of each stanza.
  ///
  /// A subscription stanza loses only its texts that way; any other loses most of its content.
  static let prosodyHeads = LineLog(
    markers: [Marker("Received[c2s]: ", .outbound), Marker("Sending[c2s]: ", .inbound)],
    prefix: ProsodyLine.clientPrefix, endings: prosody.endings,
    endReason: ProsodyLine.reason(following:), reason: ProsodyLine.endReason,
    streamEnds: prosodyStreamEnds,
    isOwnLine: ProsodyLine.isProsody,
    mend: { head in head.last == UInt8(ascii: ">") ? head.dropLast() + Array("/>".utf8) : head },
    hint: Hint(
      markers: prosody.hint?.markers ?? [],
      message: """
        this log has only the head tags of stanzas: subscription stanzas were read from them, \
        without their texts; it cannot say who is in the roster, under which name and group, or \
        who is online; load mod_stanza_debug in Prosody's modules_enabled and record again
        """, isAlways: true, advised: stanzaDebug),
    passedOver: prosodyPassedOver, isTaken: isSubscription,
    binding: Array("Resource bound: ".utf8))

  /// Whether a head tag is a subscription's; Prosody escapes the quotes in attribute values.
  @Sendable private static func isSubscription(_ head: ArraySlice<UInt8>) -> Bool {
    head.starts(with: "<presence ".utf8)
      && ["subscribe", "subscribed", "unsubscribe", "unsubscribed"].contains { type in
        head.position(of: Array(" type='\(type)'".utf8)) != nil
      }
  }
}

extension ChunkLog {
  /// ejabberd at level debug: `… (tcp|<0.512.0>) Received XML on stream = <<"…">>`.
  static let ejabberd = ChunkLog(
    head: { line in
      for (marker, direction) in ejabberdMarkers {
        guard let start = line.prefix(512).position(of: Array(marker.utf8)),
          isEjabberdLine(line)
        else { continue }
        return Head(
          direction: direction, connection: ejabberdConnection(line[..<start]),
          time: LogTime.isoTime(in: line.prefix(40)),
          payload: line[(start + marker.utf8.count)...])
      }
      return nil
    },
    isOwnLine: isEjabberdLine,
    payload: .literal(Literal.erlang),
    ending: { line in
      // `(tcp|<0.512.0>) Closing c2s connection for …`, or `session` if it cannot be resumed.
      let message = Array(") Closing c2s ".utf8)
      guard isEjabberdLine(line), let start = line.prefix(512).position(of: message) else {
        return nil
      }
      return Ending(
        connection: ejabberdConnection(line[...start]), time: LogTime.isoTime(in: line.prefix(40)),
        reason: ejabberdReason(line[(start + message.count)...]))
    }, hasReceivers: true)

  /// The reason in `connection for alice@example.test/pc: Connection failed: timed out; waiting 300
  /// seconds for stream resumption`.
  ///
  /// A resource may have any words, so the reason begins at the last beginning that is known.
  private static func ejabberdReason(_ text: ArraySlice<UInt8>) -> String? {
    let end = text.lastPosition(of: Array("; waiting ".utf8)) ?? text.endIndex
    let text = text[..<end]
    let known = ejabberdReasons.compactMap { text.lastPosition(of: Array(": \($0)".utf8)) }.max()
    guard let start = known ?? text.position(of: Array(": ".utf8)) else { return nil }
    return EndReason.following(text[start...])
  }

  /// The beginnings of ejabberd's reasons (`xmpp_stream_in:format_error/1`).
  private static let ejabberdReasons = [
    "Connection failed", "Stream closed by ", "Stream reset by ", "TLS failed",
    "Authentication failed", "Resource binding failure", "Internal server error",
    "Unrecognized error",
  ]

  private static let ejabberdMarkers: [(String, Direction)] = [
    ("Received XML on stream = ", .outbound), ("Send XML on stream = ", .inbound),
  ]

  /// Whether a line is ejabberd's: `2026-11-21 07:25:14.147 [debug] <0.512.0>@xmpp_socket:…`.
  ///
  /// Later versions write `T` and a zone. The console has only the clock and, before version 17, no
  /// process. Version 2 writes `D(<0.512.0>:ejabberd_receiver:310) : `.
  @Sendable private static func isEjabberdLine(_ line: ArraySlice<UInt8>) -> Bool {
    if line.first?.isLetter == true { return line.dropFirst().starts(with: "(<0.".utf8) }
    var clock = ByteScanner(line)
    let isOfConsole = clock.digits("00:00:00.000 [") != nil
    guard isOfConsole || LogTime.isoTime(in: line.prefix(19)) != nil,
      let level = line.prefix(48).position(of: Array(" [".utf8))
    else { return false }
    var scanner = ByteScanner(line[(level + 2)...])
    let name = scanner.take(while: \.isLetter)
    let levels = ["debug", "info", "notice", "warning", "error", "critical"]
    guard levels.contains(where: { name.elementsEqual($0.utf8) }), scanner.skip("] ") else {
      return false
    }
    return scanner.rest.first == UInt8(ascii: "<")
      || ejabberdMarkers.contains { scanner.rest.starts(with: $0.0.utf8) }
  }

  /// The process of the connection: the one in the name of the socket, or else that of the line.
  ///
  /// Before version 18, one process receives and another, the session, sends (`ProcessPairing`).
  private static func ejabberdConnection(_ head: ArraySlice<UInt8>) -> String {
    let socket = head.position(of: Array("(tcp|".utf8)) ?? head.position(of: Array("(tls|".utf8))
    let process = socket.map { head[$0...] } ?? head
    guard let start = process.position(of: UInt8(ascii: "<")),
      let end = process[start...].position(of: UInt8(ascii: ">"))
    else { return "" }
    let name = String(decoding: process[start...end], as: UTF8.self)
    let receives = socket == nil && head.position(of: Array("ejabberd_receiver:".utf8)) != nil
    return receives ? ProcessPairing.receiver(name) : name
  }

  /// jabberd 2's c2s with debug output: `Sat Nov 21 07:25:14 2026 sx (io.c:255) decoded read data
  /// (53 bytes): <…>` and `… encoding 53 bytes for writing: <…>` (`sx/io.c`). A line before it
  /// says which connection is ready. On connections to the router, routes wrap the stanzas.
  static let jabberd2 = ChunkLog(
    head: { line in
      for (marker, end, direction) in jabberdMarkers {
        guard let start = line.prefix(160).position(of: Array(marker.utf8)), isJabberdLine(line)
        else { continue }
        var scanner = ByteScanner(line[(start + marker.utf8.count)...])
        guard let count = scanner.number(), scanner.skip(end), count > 0,
          !scanner.rest.starts(with: "<route ".utf8)
        else { return nil }
        return Head(
          direction: direction, time: LogPrefix.calendarTime(line.prefix(24))?.time,
          payload: scanner.rest, count: count)
      }
      return nil
    },
    isOwnLine: isJabberdLine,
    connection: { line in
      let ready = [" ready for reading", " ready for writing"].map { Array($0.utf8) }
      guard isJabberdLine(line), ready.contains(where: { line.ends(with: $0) }),
        let name = line.dropLast(ready[0].count).split(separator: UInt8(ascii: " ")).last
      else { return nil }
      return String(decoding: name, as: UTF8.self)
    },
    passedOver: ["completed nad: ", "queueing for write: ", "queuing for write: ", "<route "]
      .map { Array($0.utf8) })

  private static let jabberdMarkers: [(String, String, Direction)] = [
    (" decoded read data (", " bytes): ", .outbound),
    (" encoding ", " bytes for writing: ", .inbound),
  ]

  /// Whether a line is `sx (io.c:255) …` or `io.c:255 …`, with or without a time before it.
  @Sendable private static func isJabberdLine(_ line: ArraySlice<UInt8>) -> Bool {
    var scanner = ByteScanner(line)
    if LogPrefix.calendarTime(line.prefix(24)) != nil { _ = scanner.take(25) }
    let isNamed = scanner.skip("sx (")
    guard let file = scanner.take(upTo: ".c:", limit: 32), scanner.number() != nil else {
      return false
    }
    return file.allSatisfy { $0.isLetter || $0.isDigit || "_/".utf8.contains($0) }
      && scanner.skip(isNamed ? ") " : " ")
  }

  /// Prosody with mod_rawdebug: `Nov 21 07:14:48 c2s1<TAB>debug<TAB>RECV(123): <chunk>`.
  static let prosodyRaw = ChunkLog(
    head: { line in
      for (marker, direction) in prosodyMarkers {
        guard let start = line.prefix(256).position(of: Array(marker.utf8)),
          let prefix = ProsodyLine.clientPrefix(line[..<start])
        else { continue }
        var scanner = ByteScanner(line[(start + marker.utf8.count)...])
        guard let count = scanner.number(), scanner.skip("): ") else { continue }
        var payload = scanner.rest
        if case .complete(let bytes) = Literal.lua(payload), bytes.count == count {
          payload = bytes[...]
        }
        return Head(
          direction: direction, connection: prefix.connection, time: prefix.time,
          payload: payload, count: count)
      }
      return nil
    },
    isOwnLine: ProsodyLine.isProsody,
    ending: { line in
      let message = Array("Client disconnected".utf8)
      guard let start = line.prefix(256).position(of: message) else { return nil }
      return ProsodyLine.clientPrefix(line[..<start]).map {
        Ending(
          connection: $0.connection, time: $0.time,
          reason: ProsodyLine.reason(following: line[(start + message.count)...]))
      }
    }, passedOver: LineLog.prosodyPassedOver + [LineLog.streamErrorText])

  private static let prosodyMarkers: [(String, Direction)] = [
    ("RECV(", .outbound), ("SEND(", .inbound),
  ]

  /// Openfire with the plug-in XML Debugger:
  /// `2026-11-21T07:25:14.147Z - C2S-STARTTLS /127.0.0.1:5555  - RECV - (rawDebugger): <…>`.
  ///
  /// Versions before 1.9 write `C2S /127.0.0.1:5555 - RECV - (    1234567): `, without a time until
  /// 1.7.5; the first ones write `C2S - RECV (1234567): `. In a file, Openfire's own prefix comes
  /// before that.
  static let openfire = ChunkLog(
    head: { line in
      if let socket = OpenfireSocketLine(line) { return socket.head }
      guard let found = OpenfireLine(line), found.isOfClient else { return nil }
      let direction: Direction
      switch found.kind {
      case .received: direction = .outbound
      case .sent: direction = .inbound
      case .opened, .closed: return nil
      }
      return Head(
        direction: direction, connection: found.connection, time: found.time, payload: found.text)
    },
    isOwnLine: { OpenfireLine($0) != nil || OpenfireSocketLine($0) != nil },
    lead: lineWithText,
    ending: { line in
      if let socket = OpenfireSocketLine(line) { return socket.ending }
      guard let found = OpenfireLine(line), found.isOfClient, found.kind == .closed else {
        return nil
      }
      return Ending(connection: found.connection, time: found.time)
    })
}

/// A line of Openfire's XML Debugger.
private struct OpenfireLine {
  enum Kind: String, CaseIterable {
    case received = " - RECV "
    case sent = " - SENT "
    case opened = " - OPEN "
    case closed = " - CLSD "
  }

  let kind: Kind
  /// Whether it shows the bytes of a client's connection.
  let isOfClient: Bool
  let connection: String
  let time: LogTime?
  /// The rest of the line, after the head.
  let text: ArraySlice<UInt8>

  /// The plug-in's names for connections of clients.
  private static let clients = ["C2S", "C2S-STARTTLS", "C2S-DIRECTTLS", "SSL"]
  /// The plug-in's names for other connections; `INT` is for packets as the server parsed them.
  private static let others = [
    "S2S-STARTTLS", "ExComp", "ExComp-STARTTLS", "CM", "CM-STARTTLS", "INT",
  ]

  init?(_ line: ArraySlice<UInt8>) {
    let found = Kind.allCases.compactMap { kind in
      line.prefix(320).position(of: Array(kind.rawValue.utf8)).map { (kind, $0) }
    }
    guard let (kind, start) = found.min(by: { $0.1 < $1.1 }) else { return nil }
    self.kind = kind
    var words = line[..<start].split(separator: UInt8(ascii: " "))
    var address = ""
    if let last = words.last, last.contains(UInt8(ascii: "/")) || last.elementsEqual("???".utf8) {
      address = String(decoding: words.removeLast(), as: UTF8.self)
    }
    guard let port = words.popLast().map({ String(decoding: $0, as: UTF8.self) }),
      words.last?.elementsEqual("-".utf8) ?? true
    else { return nil }
    isOfClient = Self.clients.contains(port)
    guard isOfClient || Self.others.contains(port) else { return nil }
    time = LogTime.isoTime(in: line[..<start])
    var scanner = ByteScanner(line[(start + kind.rawValue.utf8.count)...])
    _ = scanner.skip("- ")
    guard scanner.skip("("), let name = scanner.take(upTo: ")", limit: 64) else { return nil }
    let id = name.drop { $0 == UInt8(ascii: " ") }
    // A number identifies the connection; later versions have one word for all of them.
    let isNumber = id.drop { $0 == UInt8(ascii: "-") }.allSatisfy(\.isDigit)
    connection = isNumber || address.isEmpty ? String(decoding: id, as: UTF8.self) : address
    _ = scanner.skip(": ")
    text = scanner.rest
  }
}

/// A line of Openfire's WebSocket plug-in (`XMPPServlet.java`): a digest that names the connection,
/// and what the client sent (`… : onMessage : Received : <…>`) or got (`… : Delivered : <…>`),
/// which later versions put on the line below.
private struct OpenfireSocketLine {
  private let direction: Direction?
  private let connection: String
  private let time: LogTime?
  private let text: ArraySlice<UInt8>

  private static let markers: [(text: [UInt8], direction: Direction?)] = [
    (Array(" : onMessage : Received :".utf8), .outbound), (Array(" : Delivered :".utf8), .inbound),
    (Array(" : onClose :".utf8), nil),
  ]
  private static let digits = 32

  init?(_ line: ArraySlice<UInt8>) {
    for marker in Self.markers {
      guard let start = line.prefix(320).position(of: marker.text) else { continue }
      let name = line[..<start].suffix(Self.digits)
      guard name.count == Self.digits, name.allSatisfy({ $0.hexValue != nil }) else { return nil }
      (direction, connection) = (marker.direction, String(decoding: name, as: UTF8.self))
      time = Self.time(of: line[..<name.startIndex])
      let rest = line[(start + marker.text.count)...]
      text = rest.first == UInt8(ascii: " ") ? rest.dropFirst() : rest
      return
    }
    return nil
  }

  /// Reads a time, which Openfire itself writes as `2026.11.21 07:19:12`.
  private static func time(of prefix: ArraySlice<UInt8>) -> LogTime? {
    var scanner = ByteScanner(prefix)
    guard let numbers = scanner.digits("0000.00.00 00:00:00") else {
      return LogTime.isoTime(in: prefix)
    }
    return LogTime.local(numbers[0], numbers[1], numbers[2], Array(numbers[3...]))
  }

  /// The head of a record; nil for a line that ends the connection.
  var head: ChunkLog.Head? {
    direction.map {
      ChunkLog.Head(direction: $0, connection: connection, time: time, payload: text)
    }
  }

  /// The end of the connection; nil for a line that does not end it.
  var ending: ChunkLog.Ending? {
    direction == nil ? ChunkLog.Ending(connection: connection, time: time) : nil
  }
}
