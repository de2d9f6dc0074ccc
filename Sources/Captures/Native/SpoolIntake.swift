package import XMPPStanza

/// Reads some lines of a spool, such as those of some accounts, as an import of the spool reads
/// them.
///
/// Credentials are not removed: use `Credentials` for the records of each account.
package struct SpoolIntake {
  private let reader: SpoolReader

  package init() {
    reader = SpoolReader(ReaderOptions())
  }

  /// What the lines so far say about those that follow.
  package var state: SpoolState {
    get { reader.state }
    nonmutating set { reader.state = newValue }
  }

  /// Reads a line, without its end.
  ///
  /// - Parameter number: The number of the line, for problems.
  /// - Throws: `CaptureError` if the line is of another version of the format, and what `sink`
  ///   throws.
  package func take(
    _ line: ArraySlice<UInt8>, number: Int, _ sink: (CaptureOutput) throws -> Void
  ) throws {
    try reader.take(line, number: number, sink)
  }
}

/// What a line of a spool is about, found without reading the element in it.
package enum SpoolLine: Hashable, Sendable {
  /// The first line of a segment, with the run and the program of the server, if they can be read.
  case beginsSegment(boot: String?, server: String?)
  /// A line about an account.
  case account(BareJID)
  /// The tap could not write this number of lines; nil if it does not say.
  case gap(Int64?)
  /// A sign of life, or an empty line.
  case idle
  /// Nothing that a tap writes.
  case unreadable

  /// Finds out what a line is about.
  package init(_ line: ArraySlice<UInt8>) {
    guard !line.allSatisfy(\.isXMLSpace) else {
      self = .idle
      return
    }
    guard let object = try? NativeReader.object(line) else {
      self = .unreadable
      return
    }
    if object[SpoolReader.versionKey] != nil {
      self = .beginsSegment(boot: object["boot"]?.string, server: object["server"]?.string)
    } else if let gap = object["gap"] {
      if case .integer(let lines) = gap { self = .gap(lines) } else { self = .gap(nil) }
    } else if object["alive"] != nil {
      self = .idle
    } else if let account = object["a"]?.string.flatMap({ try? BareJID(parsing: $0) }) {
      self = .account(account)
    } else {
      self = .unreadable
    }
  }

  /// The account of a line as the taps write it: a time, perhaps a connection, and the account
  /// without escapes. Nil for any other line, which may have an account all the same.
  ///
  /// The bytes are those of the line, not prepared. An equal beginning does not prove that the rest
  /// of the line can be read.
  package static func plainAccount(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = line
    guard rest.skip("{\"t\":"), rest.skipDigits(), rest.skip(",") else { return nil }
    if rest.skip("\"c\":") {
      guard rest.skipDigits(), rest.skip(",") else { return nil }
    }
    guard rest.skip("\"a\":\"") else { return nil }
    guard
      let end = rest.firstIndex(where: {
        $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 0x20 || $0 >= 0x80
      }), rest[end] == UInt8(ascii: "\"")
    else { return nil }
    return rest[..<end]
  }
}

extension ArraySlice<UInt8> {
  /// Removes a word from the beginning; false if there is none.
  fileprivate mutating func skip(_ word: String) -> Bool {
    guard starts(with: word.utf8) else { return false }
    self = dropFirst(word.utf8.count)
    return true
  }

  /// Removes digits from the beginning; false if there are none.
  fileprivate mutating func skipDigits() -> Bool {
    let rest = drop { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard rest.count < count else { return false }
    self = rest
    return true
  }
}
