import Captures
import Rollcall

/// A JSON document with one long list in it, or the members of that list alone, one a line; written
/// while they are found: a log of any length fits.
struct DocumentList {
  private let key: String
  private let isLines: Bool
  private var isEmpty = true

  /// - Parameter isLines: Whether the members alone are written.
  init(_ key: String, isLines: Bool) {
    (self.key, self.isLines) = (key, isLines)
  }

  /// Writes the next member of the list.
  mutating func add(_ value: JSONValue) throws(OutputError) {
    guard !isLines else { return try Terminal.say(value) }
    var bytes: [UInt8] = []
    if isEmpty {
      bytes += "{\(JSONValue.string(key).text):[".utf8
    } else {
      bytes.append(UInt8(ascii: ","))
    }
    isEmpty = false
    value.write(to: &bytes)
    try Terminal.write(bytes)
  }

  /// Closes the list and writes what else is in the document, which only its end may have shown.
  func finish(_ others: [String: JSONValue] = [:]) throws(OutputError) {
    guard !isLines else { return }
    var text = isEmpty ? "{\(JSONValue.string(key).text):[]" : "]"
    for (key, value) in others.sorted(by: { $0.key < $1.key }) {
      text += ",\(JSONValue.string(key).text):\(value.text)"
    }
    try Terminal.writeLine(text + "}")
  }
}
