import XMPPStanza

/// Reads a JSON document of any size byte by byte, and emits the requested values with their paths.
///
/// All other values are skipped without being kept.
struct JSONStream {
  enum Event {
    /// A string with its quotes, or a number, as written in the document; nil if it is too long.
    case value(ArraySlice<UInt8>?)
    /// The end of the object or array at the path.
    case end
  }

  private enum Token {
    case none
    /// A key or a string; its last byte may have been an escaping backslash.
    case string(isKey: Bool, isEscaping: Bool)
    case scalar
  }

  /// The keys that lead to the current value, down to `maximumPath`; `*` for a member of an array.
  private(set) var path: [String] = []
  /// Whether each open value is an object.
  private var isObject: [Bool] = []
  private var expectsKey = false
  private var token = Token.none
  private var text: [UInt8] = []
  private var isWanted = false
  private var isTooLong = false
  private let maximumBytes: Int

  /// How deep values may be nested. One byte is kept for each open value.
  private static let maximumDepth = 1 << 20
  /// How deep a requested value can be, as in `JSONScanner`.
  private static let maximumPath = 64
  private static let maximumKey = 256

  /// - Parameter maximumBytes: The maximum length of a value.
  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Reads the next byte.
  ///
  /// - Parameters:
  ///   - wants: Returns whether to keep the value at the current path.
  ///   - emit: Receives each requested value, and the end of each object or array, with its path.
  /// - Throws: `JSONError` if the text is not JSON, and what `emit` throws.
  mutating func read(
    _ byte: UInt8, wants: ([String]) -> Bool, _ emit: ([String], Event) throws -> Void
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
      return try finishValue(emit)
    case .scalar:
      guard byte.isXMLSpace || ",]}".utf8.contains(byte) else { return keep(byte, isKey: false) }
      token = .none
      try finishValue(emit)
    case .none: break
    }
    try readStructure(byte, wants, emit)
  }

  private mutating func readStructure(
    _ byte: UInt8, _ wants: ([String]) -> Bool, _ emit: ([String], Event) throws -> Void
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
      try emit(path, .end)
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

  private mutating func finishValue(_ emit: ([String], Event) throws -> Void) throws {
    defer { if text.capacity > Self.maximumKey << 10 { text = [] } }
    guard isWanted else { return }
    try emit(path, .value(isTooLong ? nil : text[...]))
  }
}
