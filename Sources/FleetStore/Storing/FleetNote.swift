import Foundation

/// What `fleet.json` says: which sources a fleet has seen, and up to where all shards have them.
package struct FleetNote: Codable, Hashable, Sendable {
  package static let fileName = "fleet.json"
  static let version = 1

  /// The version of the fleet's form.
  package var version = FleetNote.version
  /// The number of shards, which never changes.
  package var shards = ShardNumber.count
  package var sources: [Source] = []

  /// A spool that was stored.
  package struct Source: Codable, Hashable, Sendable {
    /// The name in the spool's own file.
    package var id: String
    /// The folder in which it was seen last.
    package var folder: String
    /// Up to where every shard has it, a shard without a file too: nothing before it is missing
    /// anywhere. A shard that had lines since may be further.
    package var floor: UInt64 = 0
    /// The run of the server there.
    package var boot = ""
    /// The program of the server, such as `Prosody 0.12.3`; empty if it is not known.
    package var server = ""
    /// The newest time of its records, in milliseconds since 1970.
    package var newest: Int64?
    /// The number of lines that the tap says it could not write.
    package var gapLines = 0
    /// The number of lines that could not be read.
    package var problems = 0

    package var floorPosition: SpoolPosition {
      get { SpoolPosition(rawValue: floor) }
      set { floor = newValue.rawValue }
    }
  }

  static func path(in folder: String) -> String { "\(folder)/\(fileName)" }

  /// Reads the note of a fleet.
  ///
  /// - Throws: `FleetError`.
  package static func read(in folder: String) throws -> FleetNote {
    let path = path(in: folder)
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FleetError.notAFleet(folder)
    }
    let note: FleetNote
    do {
      note = try JSONDecoder().decode(FleetNote.self, from: data)
    } catch {
      throw FleetError.unreadableNote(path, why: "it is not what rollcall writes")
    }
    guard note.version == version, note.shards == ShardNumber.count else {
      throw FleetError.unreadableNote(
        path,
        why: "it is of version \(note.version) with \(note.shards) shards; this program reads "
          + "version \(version) with \(ShardNumber.count)")
    }
    return note
  }

  /// Writes the note, durably, all or nothing.
  func write(in folder: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try DurableFile.replace(Self.path(in: folder), with: Array(try encoder.encode(self)) + [10])
  }

  /// The number of a source, from 1; a new one is added.
  mutating func number(of id: String, in folder: String) -> SourceNumber {
    if let index = sources.firstIndex(where: { $0.id == id }) {
      sources[index].folder = folder
      return SourceNumber(index + 1)
    }
    sources.append(Source(id: id, folder: folder))
    return SourceNumber(sources.count)
  }

  subscript(number: SourceNumber) -> Source {
    get { sources[Int(number) - 1] }
    set { sources[Int(number) - 1] = newValue }
  }
}
