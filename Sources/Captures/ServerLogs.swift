import XMPPStanza

// The logs of servers: what a server received is what the client sent.
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
          time: Timestamp.isoTime(in: line.prefix(40)),
          payload: line[(start + marker.utf8.count)...])
      }
      return nil
    },
    isOwnLine: isEjabberdLine,
    payload: .literal(Literal.erlang))

  private static let ejabberdMarkers: [(String, Direction)] = [
    ("Received XML on stream = ", .outbound), ("Send XML on stream = ", .inbound),
  ]

  /// `2026-11-21 07:25:14.147 [debug] <0.512.0>@xmpp_socket:…`, with `T` and a zone in later ones.
  @Sendable private static func isEjabberdLine(_ line: ArraySlice<UInt8>) -> Bool {
    guard Timestamp.isoTime(in: line.prefix(19)) != nil,
      let level = line.prefix(48).position(of: Array(" [".utf8))
    else { return false }
    var scanner = ByteScanner(line[(level + 2)...])
    let name = scanner.take(while: \.isLetter)
    let levels = ["debug", "info", "notice", "warning", "error", "critical"]
    return levels.contains { name.elementsEqual($0.utf8) } && scanner.skip("] <")
  }

  /// The process of the connection, which the socket's name has, or the line's.
  private static func ejabberdConnection(_ head: ArraySlice<UInt8>) -> String {
    var process = head
    if let socket = head.position(of: Array("(tcp|".utf8)) ?? head.position(of: Array("(tls|".utf8))
    {
      process = head[socket...]
    }
    guard let start = process.position(of: UInt8(ascii: "<")),
      let end = process[start...].position(of: UInt8(ascii: ">"))
    else { return "" }
    return String(decoding: process[start...end], as: UTF8.self)
  }

  /// Prosody with mod_rawdebug: `Nov 21 07:14:48 c2s1<TAB>debug<TAB>RECV(123): <chunk>`.
  static let prosodyRaw = ChunkLog(
    head: { line in
      for (marker, direction) in prosodyMarkers {
        guard let start = line.prefix(128).position(of: Array(marker.utf8)),
          let prefix = LineLog.prosody.prefix(line[..<start])
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
    isOwnLine: LineLog.prosody.isOwnLine,
    ending: { line in
      guard let start = line.prefix(128).position(of: Array("\tinfo\tClient disconnected".utf8))
      else { return nil }
      return LineLog.prosody.prefix(line[..<start])?.connection
    })

  private static let prosodyMarkers: [(String, Direction)] = [
    ("\tdebug\tRECV(", .outbound), ("\tdebug\tSEND(", .inbound),
  ]

  /// Openfire with the plug-in XML Debugger: `C2S /127.0.0.1:5555 - RECV - (  1234567): <…>`.
  static let openfire = ChunkLog(
    head: { line in
      guard let (text, kind, connection) = openfireLine(line) else { return nil }
      let direction: Direction
      switch kind {
      case "RECV": direction = .outbound
      case "SENT": direction = .inbound
      default: return nil
      }
      return Head(
        direction: direction, connection: connection, time: Timestamp.isoTime(in: line.prefix(40)),
        payload: text)
    },
    isOwnLine: { openfireLine($0) != nil },
    ending: { line in
      guard let (_, kind, connection) = openfireLine(line), kind == "CLSD" else { return nil }
      return connection
    })

  private static func openfireLine(
    _ line: ArraySlice<UInt8>
  ) -> (text: ArraySlice<UInt8>, kind: String, connection: String)? {
    guard let start = line.prefix(160).position(of: Array("C2S ".utf8)) else { return nil }
    for kind in ["RECV", "SENT", "CLSD", "OPEN"] {
      var scanner = ByteScanner(line[start...])
      guard scanner.take(upTo: "- \(kind) - (", limit: 128) != nil else { continue }
      scanner.skipSpaces()
      _ = scanner.skip("-")
      let connection = scanner.take(while: \.isDigit)
      guard !connection.isEmpty, scanner.skip(")") else { continue }
      _ = scanner.skip(": ")
      return (scanner.rest, kind, String(decoding: connection, as: UTF8.self))
    }
    return nil
  }
}
