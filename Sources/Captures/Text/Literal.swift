import XMPPStanza

/// Byte strings as programming languages print them.
enum Literal: Equatable {
  case complete([UInt8])
  /// The end of the literal has not been read yet.
  case unfinished
  case malformed

  // MARK: Python

  /// Reads `'…'` or `"…"` after the `b` of a byte string, as Python's `repr` prints it. The rest of
  /// the line after the closing quote is ignored.
  static func python(_ text: ArraySlice<UInt8>) -> Literal {
    guard let quote = text.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      return .malformed
    }
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var rest = text.dropFirst()
    while let byte = rest.popFirst() {
      if byte == quote { return .complete(output) }
      guard byte == UInt8(ascii: "\\") else {
        output.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): output.append(0x0A)
      case UInt8(ascii: "r"): output.append(0x0D)
      case UInt8(ascii: "t"): output.append(0x09)
      case UInt8(ascii: "x"):
        guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else {
          return .malformed
        }
        output.append(high << 4 | low)
      case let other? where other == UInt8(ascii: "\\") || other == quote: output.append(other)
      case UInt8(ascii: "'"), UInt8(ascii: "\""): output.append(rest[rest.startIndex - 1])
      default: return .malformed
      }
    }
    return .malformed
  }

  // MARK: Lua

  /// Reads `"…"` with escapes such as `\\229`, as Prosody prints bytes that are not UTF-8.
  static func lua(_ text: ArraySlice<UInt8>) -> Literal {
    guard text.first == UInt8(ascii: "\"") else { return .malformed }
    var output: [UInt8] = []
    var rest = text.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return rest.isEmpty ? .complete(output) : .malformed }
      guard byte == UInt8(ascii: "\\") else {
        output.append(byte)
        continue
      }
      let digits = rest.prefix(3).prefix(while: \.isDigit)
      guard digits.isEmpty else {
        let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard let byte = UInt8(exactly: value) else { return .malformed }
        output.append(byte)
        rest = rest.dropFirst(digits.count)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): output.append(0x0A)
      case UInt8(ascii: "r"): output.append(0x0D)
      case UInt8(ascii: "t"): output.append(0x09)
      case UInt8(ascii: "v"): output.append(0x0B)
      case UInt8(ascii: "f"): output.append(0x0C)
      case UInt8(ascii: "b"): output.append(0x08)
      case UInt8(ascii: "a"): output.append(0x07)
      case let other?: output.append(other)
      case nil: return .malformed
      }
    }
    return .malformed
  }

  // MARK: Erlang

  /// Reads `<<"…">>`, also in pieces and with `/utf8`, or `<<60,105,…>>`, wrapped over any number
  /// of lines; or a string `"…"` on one line.
  ///
  /// The text in the quotes may be unescaped: MongooseIM writes what it received with `\"~s\"`
  /// (`ejabberd_receiver.erl`), and the quotes inside belong to the XML.
  static func erlang(_ text: ArraySlice<UInt8>) -> Literal {
    let literal = erlangLiteral(text)
    guard case .malformed = literal else { return literal }
    for (start, end) in [("<<\"<", ">\">>"), ("\"<", ">\"")]
    where text.count >= start.utf8.count + end.utf8.count && text.starts(with: start.utf8)
      && text.ends(with: Array(end.utf8))
    {
      let quotes = (start.utf8.count - 1, end.utf8.count - 1)
      return .complete(Array(text.dropFirst(quotes.0).dropLast(quotes.1)))
    }
    return literal
  }

  private static func erlangLiteral(_ text: ArraySlice<UInt8>) -> Literal {
    var scanner = ByteScanner(text)
    if text.first == UInt8(ascii: "\"") {
      let string = erlangString(&scanner)
      return scanner.rest.isEmpty || string == .unfinished ? string : .malformed
    }
    guard scanner.skip("<<") else { return .malformed }
    var output: [UInt8] = []
    while true {
      _ = scanner.take { $0.isXMLSpace || $0 == UInt8(ascii: ",") }
      guard let next = scanner.rest.first else { return .unfinished }
      if next == UInt8(ascii: "\"") {
        switch erlangString(&scanner) {
        case .complete(let bytes): output += bytes
        case .unfinished: return .unfinished
        case .malformed: return .malformed
        }
      } else if next.isDigit {
        guard let number = scanner.number(), let byte = UInt8(exactly: number) else {
          return .malformed
        }
        output.append(byte)
      } else {
        if scanner.skip(">>") { return .complete(output) }
        return scanner.rest.elementsEqual([UInt8(ascii: ">")]) ? .unfinished : .malformed
      }
    }
  }

  /// Reads adjacent strings as one, and the type after the last.
  private static func erlangString(_ scanner: inout ByteScanner) -> Literal {
    var characters: [UInt8] = []
    while scanner.skip("\"") {
      while let byte = scanner.rest.first, byte != UInt8(ascii: "\"") {
        characters += scanner.take { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if scanner.skip("\\") {
          guard let escape = erlangEscape(&scanner) else {
            return scanner.rest.isEmpty ? .unfinished : .malformed
          }
          characters += escape
        }
      }
      guard scanner.skip("\"") else { return .unfinished }
      _ = scanner.take(while: \.isXMLSpace)
    }
    if scanner.skip("/utf8") { return .complete(characters) }
    if !scanner.rest.isEmpty, "/utf8".utf8.starts(with: scanner.rest) { return .unfinished }
    return .complete(latin1(characters))
  }

  private static func erlangEscape(_ scanner: inout ByteScanner) -> [UInt8]? {
    if scanner.skip("x{") {
      guard let digits = scanner.take(upTo: "}", limit: 9) else {
        // Nothing is left of a literal that was cut off; otherwise it is malformed.
        if scanner.rest.count < 9 { _ = scanner.take(scanner.rest.count) }
        return nil
      }
      guard let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let character = Unicode.Scalar(value)
      else { return nil }
      return Array(String(Character(character)).utf8)
    }
    let octal = scanner.rest.prefix(3).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")) ~= $0 }
    if !octal.isEmpty {
      _ = scanner.take(octal.count)
      let value = octal.reduce(0) { $0 * 8 + UInt32($1 - UInt8(ascii: "0")) }
      return Unicode.Scalar(value).map { Array(String(Character($0)).utf8) }
    }
    guard let letter = scanner.take(1).first else { return nil }
    switch letter {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "v"): return [0x0B]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "e"): return [0x1B]
    case UInt8(ascii: "s"): return [0x20]
    case UInt8(ascii: "d"): return [0x7F]
    default: return letter < 0x80 ? [letter] : nil
    }
  }

  /// The bytes of a string whose characters are bytes, printed as UTF-8. A string with any other
  /// character is text and is returned unchanged.
  private static func latin1(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { $0 >= 0x80 }), let string = String(validating: text, as: UTF8.self)
    else { return text }
    let values = string.unicodeScalars.map(\.value)
    return values.allSatisfy { $0 < 0x100 } ? values.map { UInt8(truncatingIfNeeded: $0) } : text
  }
}
