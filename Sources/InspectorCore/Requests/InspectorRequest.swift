package import Captures

/// A request of the page, without anything of HTTP that its answer does not depend on.
package struct InspectorRequest: Sendable {
  /// What is done to the path.
  package enum Method: String, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
  }

  package let method: Method
  /// The path below `/api`, in parts, without percent-encoding.
  package let path: [String]
  /// The parameters of the query.
  package let query: [String: String]
  /// The members of the JSON object in the body of a `post`.
  package let body: [String: JSONValue]

  package init(
    _ method: Method, _ path: [String], query: [String: String] = [:],
    body: [String: JSONValue] = [:]
  ) {
    (self.method, self.path, self.query, self.body) = (method, path, query, body)
  }

  /// Reads a request target and a body.
  ///
  /// - Parameter target: The path and the query, percent-encoded, such as `/api/moment?at=12`.
  /// - Throws: `Refusal` if the target is not below `/api`, or something is malformed.
  package init(_ method: Method, target: String, body: [UInt8] = []) throws(Refusal) {
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = halves[0].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 2, parts[0].isEmpty, parts[1] == "api" else { throw .noSuchPath }
    var path: [String] = []
    for part in parts.dropFirst(2) {
      guard let text = Self.decoded(part), !text.isEmpty else { throw .noSuchPath }
      path.append(text)
    }
    var query: [String: String] = [:]
    if halves.count > 1 {
      for pair in halves[1].split(separator: "&") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = Self.decoded(sides[0], isQuery: true),
          let value = sides.count > 1 ? Self.decoded(sides[1], isQuery: true) : ""
        else { throw .malformed("the query is not encoded as text") }
        query[name] = value
      }
    }
    var members: [String: JSONValue] = [:]
    if method == .post {
      guard let read = try? JSONScanner.object(body[...]) else {
        throw .malformed("the body is not a JSON object")
      }
      members = read
    }
    self.init(method, path, query: query, body: members)
  }

  /// The text that percent-encoding stands for; nil if it is malformed, or not UTF-8.
  private static func decoded(_ text: Substring, isQuery: Bool = false) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+"), isQuery {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%") {
        let digits = rest.prefix(2)
        guard digits.count == 2, let text = String(digits), text.allSatisfy(\.isHexDigit),
          let value = UInt8(text, radix: 16)
        else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

// MARK: Parameters

extension InspectorRequest {
  /// A parameter that is a number; nil if it is not given.
  ///
  /// - Throws: `Refusal` if it is something else, or outside of the range.
  func number(_ name: String, in range: ClosedRange<Int>) throws(Refusal) -> Int? {
    guard let text = query[name], !text.isEmpty else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .malformed(
        "\(name) is “\(text)”, not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A parameter that is a range of rows, `60-120`, whose end is not in it; nil if it is not given.
  func rows(_ name: String, atMost limit: Int) throws(Refusal) -> Range<Int>? {
    guard let text = query[name], !text.isEmpty else { return nil }
    let ends = text.split(separator: "-").compactMap { Int($0) }
    guard ends.count == 2, ends[0] >= 0, ends[0] <= ends[1], ends[1] <= Int(UInt32.max) else {
      throw .malformed("\(name) is “\(text)”, not a range such as 0-60")
    }
    return ends[0]..<min(ends[1], ends[0] + limit)
  }

  /// A parameter that is one of the cases of an enumeration; nil if it is not given.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Choice.Type = Choice.self
  ) throws(Refusal) -> Choice? {
    guard let text = query[name], !text.isEmpty else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw .malformed("\(name) is “\(text)”, which is none of \(words)")
    }
    return choice
  }
}
