import Captures
import Rollcall

/// A JSON document that contains one long list, or the members of that list alone, one per line.
/// They are written as they are found, so the length of the log does not matter.
struct DocumentList {
  private let key: String
  private let isLines: Bool
  private var isEmpty = true

  /// - Parameter isLines: Whether to write only the members.
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

  /// Closes the list and writes the rest of the document, which may be known only at the end.
  func finish(_ others: [String: JSONValue] = [:]) throws(OutputError) {
    guard !isLines else { return }
    var text = isEmpty ? "{\(JSONValue.string(key).text):[]" : "]"
    for (key, value) in others.sorted(by: { $0.key < $1.key }) {
      text += ",\(JSONValue.string(key).text):\(value.text)"
    }
    try Terminal.writeLine(text + "}")
  }
}
