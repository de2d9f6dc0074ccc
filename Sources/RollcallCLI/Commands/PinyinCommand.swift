import ArgumentParser
import Captures
import ContactSections
import Foundation
import Rollcall

struct PinyinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pinyin",
    abstract: "Shows the letter under which names are listed, and how they are read.",
    discussion: """
      Without arguments, names are read from standard input, one per line: everything up to the \
      line feed is the name. With --json, the output is one document, {"names"}, and with --jsonl \
      one object per line: "name", "section" (A to Z or #), "reading", and "sortKey", whose order \
      as text is the order of names in a list.

      Examples:
        rollcall pinyin 曾国藩 曾经 单雄信 单车
        rollcall pinyin --jsonl < names.txt
        rollcall pinyin --match zs 张三 王五 李四
      """)

  @Argument(help: "The names; without any, they are read from standard input.")
  var names: [String] = []

  @OptionGroup var output: ListOutputOptions

  @Option(help: "Only the names that match, best match first.")
  var match: String?

  func run() throws {
    if let match {
      try show(matching: NameQuery(match), match)
    } else if names.isEmpty {
      var listing = Listing(output)
      try forEachLine {
        try listing.add(PinyinReader.reading(of: $0))
      } pause: {
        try listing.sayHeld()
      }
      try listing.finish()
    } else {
      try show(names.map(PinyinReader.reading))
    }
  }

  private func show(_ readings: [Reading]) throws {
    var listing = Listing(output)
    for reading in readings { try listing.add(reading) }
    try listing.finish()
  }

  private func show(matching query: NameQuery, _ text: String) throws {
    var hits: [(rank: NameQuery.Rank, key: SortKey, reading: Reading)] = []
    func look(_ name: String) {
      let reading = PinyinReader.reading(of: name)
      if let rank = query.match(reading) { hits.append((rank, SortKey(reading), reading)) }
    }
    if names.isEmpty {
      try forEachLine(look)
    } else {
      names.forEach(look)
    }
    hits.sort { $0.rank != $1.rank ? $0.rank < $1.rank : $0.key < $1.key }
    try show(hits.map(\.reading))
    if hits.isEmpty { throw NothingFound(sentence: "no name matches “\(text)”") }
  }

  /// Reads names from standard input, without trimming: an empty line is a name too.
  ///
  /// - Parameter pause: Called when the next name may take a while to arrive.
  private func forEachLine(
    _ body: (String) throws -> Void, pause: () throws -> Void = {}
  ) throws {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var line: [UInt8] = []
    while true {
      let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw Failure("standard input cannot be read: \(text(ofSystemCode: errno))")
      }
      if count == 0 { break }
      var rest = chunk[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<end]
        rest = rest[(end + 1)...]
        try body(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
      }
      line += rest
      try pause()
    }
    if !line.isEmpty { try body(String(decoding: line, as: UTF8.self)) }
  }
}

/// Readings in printed form: in columns for people, as documents for machines.
private struct Listing {
  /// What is written for machines; nil for people.
  private var document: DocumentList?
  private var table = Table([])
  private var isFirst = true

  init(_ output: ListOutputOptions) {
    document = output.isForMachines ? output.list("names") : nil
  }

  /// Prints a reading, or holds it back to align it with others.
  mutating func add(_ reading: Reading) throws(OutputError) {
    guard document == nil else {
      try document?.add(JSONValue(reading))
      return
    }
    table.add([reading.section.title, reading.pinyin, reading.name])
  }

  /// Prints the readings that were held back, and ends the document.
  mutating func finish() throws(OutputError) {
    try sayHeld()
    try document?.finish()
  }

  /// Prints the readings that were held back for people.
  mutating func sayHeld() throws(OutputError) {
    guard document == nil else { return }
    // The first line is the empty heading.
    try Terminal.say(Array(table.takeLines().dropFirst(isFirst ? 1 : 0)))
    isFirst = false
  }
}
