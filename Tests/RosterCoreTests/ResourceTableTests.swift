import HashTreeCollections
import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

@Suite("The table of a contact's resources")
struct ResourceTableTests {
  @Test("It is a dictionary, however few it holds", arguments: 0..<UInt64(20))
  func model(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = ResourceTable()
    var model: [String: ResourcePresence] = [:]
    // Sometimes few enough to need no tree, sometimes more, and over the boundary and back.
    let names =
      ["", "phone", "Phone", "\u{E9}", "e\u{301}"] + (0..<seed % 3 * 6).map { "tablet \($0)" }
    for record in 0..<UInt64(200) {
      let name = names[Int.random(in: names.indices, using: &random)]
      let note: Comment = "seed \(seed), step \(record)"
      if Int.random(in: 0..<5, using: &random) < (record < 100 ? 4 : 1) {
        let presence = ResourcePresence(
          availability: Availability(), since: RecordStamp(record: record))
        #expect(
          table.updateValue(presence, forKey: name) == model.updateValue(presence, forKey: name),
          note)
      } else {
        #expect(table.removeValue(forKey: name) == model.removeValue(forKey: name), note)
      }
      #expect(table.count == model.count && table.isEmpty == model.isEmpty, note)
      #expect(table.keys.sorted() == model.keys.sorted(), note)
      #expect(table[name] == model[name] && table["tablet"] == nil, note)
      #expect(Dictionary(uniqueKeysWithValues: table.map { ($0, $1) }) == model, note)
      var inOrder: [String] = []
      table.forEachInOrder { name, _ in inOrder.append(name) }
      #expect(
        inOrder == model.keys.sorted { Array($0.utf8).lexicographicallyPrecedes($1.utf8) }, note)
      // Equal content is an equal value, whatever came before.
      var again = ResourceTable()
      for (name, presence) in model { again.updateValue(presence, forKey: name) }
      #expect(table == again && table.hashValue == again.hashValue, note)
    }
  }
}
