import Captures
import Rollcall

/// A JSON document with one long list in it, written while its members are found: a log of any
/// length fits.
struct DocumentList {
  private let key: String
  private var isEmpty = true

  init(_ key: String) {
    self.key = key
  }

  /// Writes the next member of the list.
  mutating func add(_ value: JSONValue) throws(OutputError) {
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
    var text = isEmpty ? "{\(JSONValue.string(key).text):[]" : "]"
    for (key, value) in others.sorted(by: { $0.key < $1.key }) {
      text += ",\(JSONValue.string(key).text):\(value.text)"
    }
    try Terminal.writeLine(text + "}")
  }
}
