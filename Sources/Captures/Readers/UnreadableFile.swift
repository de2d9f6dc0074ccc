/// The kind of a file that cannot be read as a capture, with advice for the user.
package enum UnreadableFile: Hashable, Sendable {
  /// A compressed file, with the program that unpacks it.
  case compressed(program: String)
  /// A packet capture, as tcpdump and Wireshark write it.
  case packets
  case empty
  /// Only zeros at the beginning.
  case zeros
  /// Bytes that are not text.
  case binary

  /// Examines the first bytes of a file; nil if it is text. 64 KiB are enough.
  package init?(_ head: [UInt8]) {
    let magics: [([UInt8], UnreadableFile)] = [
      ([0x1F, 0x8B], .compressed(program: "gzip")),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A], .compressed(program: "xz")),
      ([0x28, 0xB5, 0x2F, 0xFD], .compressed(program: "zstd")),
      ([0x42, 0x5A, 0x68], .compressed(program: "bzip2")),
      ([0x50, 0x4B, 0x03, 0x04], .compressed(program: "unzip")),
      ([0x0A, 0x0D, 0x0D, 0x0A], .packets), ([0xD4, 0xC3, 0xB2, 0xA1], .packets),
      ([0xA1, 0xB2, 0xC3, 0xD4], .packets), ([0x4D, 0x3C, 0xB2, 0xA1], .packets),
    ]
    if let known = magics.first(where: { head.starts(with: $0.0) }) {
      self = known.1
    } else if head.isEmpty {
      self = .empty
    } else if head.allSatisfy({ $0 == 0 }) {
      self = .zeros
    } else if TextEncoding(head) == nil, head.count(where: { $0 == 0 }) * 20 > head.count {
      self = .binary
    } else {
      return nil
    }
  }
}

extension UnreadableFile: CustomStringConvertible {
  /// The reason as a clause, and what to do about it.
  package var description: String {
    switch self {
    case .compressed(program: "unzip"):
      "it is a zip archive; unpack it on the way: unzip -p FILE | rollcall replay -"
    case .compressed(let program):
      """
      it is compressed with \(program); unpack it on the way: \
      \(program) -dc FILE | rollcall replay -
      """
    case .packets:
      """
      it is a capture of packets; decrypt and save the TCP stream first: \
      tshark -q -r FILE -z follow,tcp,yaml,0 > STREAM.yaml
      """
    case .empty: "it is empty"
    case .zeros:
      """
      it begins with NUL bytes, as a crash or an emptied file leaves them; take them out on the \
      way: tr -d '\\0' < FILE | rollcall replay -
      """
    case .binary: "it is not text"
    }
  }
}
