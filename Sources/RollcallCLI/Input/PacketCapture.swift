import Captures
import Foundation

/// A packet capture (pcap, pcapng), whose streams tshark reassembles. It is read once to list the
/// streams, and once for their bytes.
///
/// Only the bytes that each side of a stream sent are read. Addresses and ports of packets are
/// ignored, and keys are not stored.
struct PacketCapture {
  private let path: String
  private let file: FileHandle
  private let program: String
  private let options: [String]

  /// The maximum number of streams to read: tshark tests each packet for each stream that it
  /// follows.
  private static let maximumStreams = 300
  private static let maximumListed = 100_000
  private static let maximumLine = 64 << 10
  /// The memory limit of tshark in KiB: it keeps its data about streams until the end.
  private static let memory = 4 << 20

  /// - Parameter keyLog: The file with the keys of TLS connections.
  /// - Throws: `Failure` if tshark is not installed.
  init(_ path: String, _ file: FileHandle, isFile: Bool, keyLog: String?) throws {
    guard let program = Tool.path(of: "tshark") else {
      throw Failure(
        """
        \(path): it is a packet capture, which is read through tshark, but tshark is not on the \
        PATH; install the package tshark, or save the stream on a machine that has it: \
        tshark -q -r FILE -z follow,tcp,yaml,0 > STREAM.yaml
        """)
    }
    guard isFile else {
      throw Failure("\(path): a packet capture is read twice, and not from a pipe: name its file")
    }
    if let keyLog, !FileManager.default.isReadableFile(atPath: keyLog) {
      throw Failure("--keylog \(keyLog): there is no such file")
    }
    (self.path, self.file, self.program) = (path, file, program)
    // Do not resolve addresses to names.
    options = ["-n", "-r", "-"] + (keyLog.map { ["-o", "tls.keylog_file:\($0)"] } ?? [])
  }

  /// The call that writes the bytes of all streams that may contain XMPP.
  func tool() throws -> Tool {
    let found = try streams()
    let readable = found.filter { $0.value != .encrypted }.keys.sorted()
    let encrypted = found.count - readable.count
    if encrypted > 0 {
      Terminal.note(
        "\(path): \(encrypted) of its streams are encrypted with keys that are not known; --keylog "
          + "names the file that the client wrote them to (SSLKEYLOGFILE)")
    }
    guard !readable.isEmpty else {
      throw Failure("\(path): no stream in this packet capture can be read as XMPP")
    }
    if readable.count > Self.maximumStreams {
      Terminal.note(
        "\(path): only the first \(Self.maximumStreams) of its \(readable.count) streams are read")
    }
    let follows = readable.prefix(Self.maximumStreams).flatMap { stream in
      ["-z", "follow,\(found[stream] == .decrypted ? "tls" : "tcp"),yaml,\(stream)"]
    }
    return call("printf '%s\\n' '\(CaptureFormat.beginningOfStreams)'", ["-q"] + follows)
  }

  /// A call of tshark with a memory limit.
  ///
  /// - Parameter command: A shell command to run first.
  private func call(_ command: String, _ arguments: [String]) -> Tool {
    let script = "ulimit -v \(Self.memory) 2> /dev/null; \(command); exec \"$0\" \"$@\""
    return Tool(
      name: "tshark", task: "read it", program: "/bin/sh",
      arguments: ["-c", script, program] + options + arguments, shortage: "cut short")
  }

  // MARK: Streams

  private enum Kind { case plain, encrypted, decrypted }

  /// The streams that contain XMPP, WebSocket, TLS or unknown data.
  private func streams() throws -> [Int: Kind] {
    var list = call(
      ":",
      [
        "-Y", "tcp.len > 0 && (xmpp || websocket || data || tls)", "-T", "fields",
        "-e", "tcp.stream", "-e", "frame.protocols",
      ])
    list.isQuiet = true
    let listing = try ToolOutput(path, file, list)
    var streams: [Int: Kind] = [:]
    var rest: [UInt8] = []
    while let bytes = try listing.handle.read(upToCount: 64 << 10), !bytes.isEmpty {
      let lines = (rest + bytes).split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      rest = lines.last.map { Array($0.prefix(Self.maximumLine)) } ?? []
      for line in lines.dropLast() {
        let words = String(decoding: line, as: UTF8.self).split(separator: "\t")
        guard words.count == 2, let stream = Int(words[0]),
          streams[stream] != nil || streams.count < Self.maximumListed
        else { continue }
        streams[stream] = Self.kind(of: words[1], after: streams[stream])
      }
    }
    try listing.check()
    return streams
  }

  /// The kind of a stream after one of its packets, which has protocols such as
  /// `eth:ethertype:ip:tcp:tls:xmpp`.
  private static func kind(of protocols: Substring, after known: Kind?) -> Kind {
    let names = protocols.split(separator: ":")
    guard let tls = names.firstIndex(of: "tls") else { return known ?? .plain }
    let isDecrypted = names[tls...].contains { ["xmpp", "websocket", "data"].contains($0) }
    return isDecrypted || known == .decrypted ? .decrypted : .encrypted
  }
}
