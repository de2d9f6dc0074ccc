import Foundation
package import XMPPStanza

/// Bytes of a stream that cannot be read as XML, or are more than an element may have.
///
/// Input that broke a client or a server is the best evidence of the reason. It is kept up to a
/// bound, and only if no credentials can be in it.
package struct UnreadableBytes: Hashable, Sendable {
  /// The direction in which they were sent.
  package let direction: Direction
  /// The first bytes, at most `limit`; nil if they are not kept because they may be credentials.
  package let kept: [UInt8]?
  /// The number of bytes, kept or not.
  package let count: Int
  /// Why they cannot be read, as a clause for the user that quotes none of them.
  package let reason: String
  /// Whether they are a whole element that exceeds a limit, after which the stream continued.
  package let isBeyondLimit: Bool

  /// The maximum number of bytes that are kept.
  package static let limit = 64 << 10

  /// - Parameter isAuthenticated: Whether the login is complete; before that, everything may be a
  ///   secret.
  package init(
    _ bytes: some Collection<UInt8>, _ direction: Direction, reason: String, isAuthenticated: Bool
  ) {
    let kept = isAuthenticated ? Self.harmless(Array(bytes.prefix(Self.limit))) : nil
    self.init(direction, kept, bytes.count, reason, isBeyondLimit: false)
  }

  /// Creates a value for a whole element that exceeds a limit.
  ///
  /// - Parameters:
  ///   - bytes: Its first bytes.
  ///   - count: Its size in bytes.
  package init(
    beyondLimit bytes: [UInt8], of count: Int, _ direction: Direction, reason: String,
    isAuthenticated: Bool
  ) {
    let kept = isAuthenticated ? Self.harmless(Array(bytes.prefix(Self.limit))) : nil
    self.init(direction, kept, count, reason, isBeyondLimit: true)
  }

  private init(
    _ direction: Direction, _ kept: [UInt8]?, _ count: Int, _ reason: String, isBeyondLimit: Bool
  ) {
    self.isBeyondLimit = isBeyondLimit
    self.direction = direction
    self.kept = kept
    self.count = count
    self.reason = reason
  }

  /// A copy without the bytes, in which anything may be written.
  package var withoutBytes: UnreadableBytes {
    UnreadableBytes(direction, nil, count, reason, isBeyondLimit: isBeyondLimit)
  }

  /// A copy without the bytes, and without the reason, which another program may have given.
  package var withheld: UnreadableBytes {
    UnreadableBytes(
      direction, nil, count, "a redacted capture leaves the reason out",
      isBeyondLimit: isBeyondLimit)
  }

  /// Returns the bytes, or nil if they have a word or namespace that comes before secrets.
  ///
  /// They cannot be parsed. Only the kept bytes need to be searched, because they include whatever
  /// comes before a secret in them.
  private static func harmless(_ bytes: [UInt8]) -> [UInt8]? {
    let words = bytes.split { byte in
      !(byte.isLetter || byte.isDigit || byte >= 0x80 || "-_.".utf8.contains(byte))
    }
    // Names are recognized by their endings, and longer words are hardly names.
    let isSecret =
      words.contains {
        SecretNames.mayPrecedeSecret(String(decoding: $0.suffix(64), as: UTF8.self))
      }
      || secretMarkers.contains { bytes[...].position(of: $0) != nil }
    return isSecret ? nil : bytes
  }

  /// XEP-0220 gives its elements a prefix that the stream declares.
  private static let secretMarkers = (Credentials.namespaces + ["<db:"]).map { Array($0.utf8) }

  // MARK: The line

  /// The line of a native capture, without its time and without a line feed.
  package var line: [UInt8] {
    var members: [String: JSONValue] = [
      "dir": .string(direction == .inbound ? "in" : "out"),
      "unreadable": JSONValue(kept.map { Data($0).base64EncodedString() }),
      "bytes": .integer(Int64(count)), "reason": .string(reason),
    ]
    if isBeyondLimit { members["limit"] = .bool(true) }
    return Array(JSONValue.object(members).text.utf8)
  }

  /// Reads a line that `line` wrote; nil for any other.
  package init?(line: [UInt8]) {
    guard let object = try? JSONScanner.object(line[...]) else { return nil }
    let direction: Direction
    switch object["dir"]?.string {
    case "in": direction = .inbound
    case "out": direction = .outbound
    default: return nil
    }
    guard let bytes = try? Self(direction, object) else { return nil }
    self = bytes
  }

  /// Reads the members of a line.
  init(_ direction: Direction, _ object: [String: JSONValue]) throws(LineProblem) {
    guard case .integer(let number)? = object["bytes"], let count = Int(exactly: number), count >= 0
    else { throw LineProblem("\"bytes\" is not a number of bytes") }
    guard let reason = object["reason"]?.string else {
      throw LineProblem("\"reason\" is not a string")
    }
    let isBeyondLimit: Bool
    switch object["limit"] {
    case nil: isBeyondLimit = false
    case .bool(let value): isBeyondLimit = value
    default: throw LineProblem("\"limit\" is neither true nor false")
    }
    switch object["unreadable"] {
    case nil, .null: self.init(direction, nil, count, reason, isBeyondLimit: isBeyondLimit)
    case .string(let text):
      guard let data = Data(base64Encoded: text), data.count <= min(count, Self.limit) else {
        throw LineProblem("\"unreadable\" is not at most \(Self.limit) of these bytes in Base64")
      }
      // The program that wrote the capture may not have checked.
      self.init(
        direction, Self.harmless(Array(data)), count, reason, isBeyondLimit: isBeyondLimit)
    default: throw LineProblem("\"unreadable\" is not a string")
    }
  }
}
