import XMPPStanza

/// Reads a JSON document of any size piece by piece, and gives the values that somebody wants with
/// their places. What nobody wants is passed over without being kept.
struct JSONStream {
  enum Event {
    /// A string with its quotes, or a number, as the document has it; nil if it is too long.
    case value(ArraySlice<UInt8>?)
    /// The object or array at the place has ended.
    case end
  }

  private enum Token {
    case none
    /// A key or a string, whose last byte was perhaps a backslash.
    case string(isKey: Bool, isEscaping: Bool)
    case scalar
  }

  /// The keys that lead to the value that is read, as far as anybody wants one; `*` for a member of
  /// an array.
  private(set) var path: [String] = []
  /// Whether each open value is an object.
  private var isObject: [Bool] = []
  private var expectsKey = false
  private var token = Token.none
  private var text: [UInt8] = []
  private var isWanted = false
  private var isTooLong = false
  private let maximumBytes: Int

  /// How deep values may be nested: of each, a byte is kept.
  private static let maximumDepth = 1 << 20
  /// How deep a value can be that somebody wants, as in `JSONScanner`.
  private static let maximumPath = 64
  private static let maximumKey = 256

  /// - Parameter maximumBytes: The most that a value may have.
  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Takes the next byte.
  ///
  /// - Parameters:
  ///   - wants: Says whether the value at the current path is to be kept.
  ///   - take: Given a value that was wanted, or the end of any object or array, at its path.
  /// - Throws: `JSONError` if the text is no JSON, and what `take` throws.
  mutating func read(
    _ byte: UInt8, wants: ([String]) -> Bool, _ take: ([String], Event) throws -> Void
  ) throws {
    switch token {
    case .string(let isKey, let isEscaping):
      guard byte == UInt8(ascii: "\""), !isEscaping else {
        let escapes = byte == UInt8(ascii: "\\") && !isEscaping
        token = .string(isKey: isKey, isEscaping: escapes)
        return keep(byte, isKey: isKey)
      }
      token = .none
      if isKey { return nameMember() }
      text.append(byte)
      return try finishValue(take)
    case .scalar:
      guard byte.isXMLSpace || ",]}".utf8.contains(byte) else { return keep(byte, isKey: false) }
      token = .none
      try finishValue(take)
    case .none: break
    }
    try readStructure(byte, wants, take)
  }

  private mutating func readStructure(
    _ byte: UInt8, _ wants: ([String]) -> Bool, _ take: ([String], Event) throws -> Void
  ) throws {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"),
      UInt8(ascii: ":"):
      return
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard isObject.count < Self.maximumDepth else { throw JSONError.tooDeep }
      guard !expectsKey else { throw JSONError.unexpected(at: 0) }
      isObject.append(byte == UInt8(ascii: "{"))
      expectsKey = isObject.last == true
      if isObject.count <= Self.maximumPath { path.append("*") }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard isObject.popLast() == (byte == UInt8(ascii: "}")) else {
        throw JSONError.unexpected(at: 0)
      }
      expectsKey = false
      guard isObject.count < Self.maximumPath else { return }
      path.removeLast()
      try take(path, .end)
    case UInt8(ascii: ","): expectsKey = isObject.last == true
    case UInt8(ascii: "\""):
      begin(.string(isKey: expectsKey, isEscaping: false), wants)
      if !expectsKey { text.append(byte) }
    default:
      guard !expectsKey else { throw JSONError.unexpected(at: 0) }
      begin(.scalar, wants)
      keep(byte, isKey: false)
    }
  }

  private mutating func begin(_ new: Token, _ wants: ([String]) -> Bool) {
    token = new
    text.removeAll(keepingCapacity: true)
    isTooLong = false
    isWanted = !expectsKey && isObject.count <= Self.maximumPath && wants(path)
  }

  private mutating func keep(_ byte: UInt8, isKey: Bool) {
    guard isKey || isWanted else { return }
    guard text.count < (isKey ? Self.maximumKey : maximumBytes) else { return isTooLong = true }
    text.append(byte)
  }

  private mutating func nameMember() {
    expectsKey = false
    guard !path.isEmpty, isObject.count <= Self.maximumPath else { return }
    path[path.count - 1] = String(decoding: text, as: UTF8.self)
  }

  private mutating func finishValue(_ take: ([String], Event) throws -> Void) throws {
    defer { if text.capacity > Self.maximumKey << 10 { text = [] } }
    guard isWanted else { return }
    try take(path, .value(isTooLong ? nil : text[...]))
  }
}
