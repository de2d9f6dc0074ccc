package import Captures
package import ContactSections

extension JSONValue {
  /// How a name is read, as `rollcall pinyin --json` lists it.
  package init(_ reading: Reading) {
    let digits = Array("0123456789abcdef".utf8)
    let key = SortKey(reading).bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    self = .object([
      "name": .string(reading.name), "section": .string(reading.section.title),
      "reading": .string(reading.pinyin),
      "sortKey": .string(String(decoding: key, as: UTF8.self)),
    ])
  }
}
