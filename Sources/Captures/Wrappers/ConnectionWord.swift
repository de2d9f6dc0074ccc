import XMPPStanza

/// The word before each stanza that names the device of an account in a log of several devices: a
/// name, a thread, or a number.
///
/// No format defines which word that is, but the server's stanzas do: all stanzas to one device
/// have the same word, and those to another device have another.
package struct ConnectionWord: Hashable, Sendable {
  /// The position of the word in the line.
  private let index: Int

  /// The minimum number of stanzas to each device: two could match by chance.
  private static let sufficientStanzas = 3
  private static let maximumWords = 16
  private static let maximumDevices = 64

  /// Finds the word in the lines of a log; nil if there is none.
  init?(_ lines: [CarriedLine]) {
    let slash = UInt8(ascii: "/")
    var lineWords: [[ArraySlice<UInt8>]] = []
    var devices: [[UInt8]: [Int]] = [:]
    for line in lines where CarrierDetection.holdsStanza(line.bytes) {
      guard let start = line.bytes.position(of: UInt8(ascii: "<")) else { continue }
      let tag = line.bytes[start...].prefix { $0 != UInt8(ascii: ">") }
      if let to = TopLevel.attribute("to", in: tag), to.contains(slash) {
        devices[Array(to), default: []].append(lineWords.count)
      }
      lineWords.append(Self.words(of: line.bytes[..<start]))
    }
    devices = devices.filter { $0.value.count >= Self.sufficientStanzas }
    let accounts = Dictionary(grouping: devices.keys) { Array($0.prefix { $0 != slash }) }
      .values.filter { (2...Self.maximumDevices).contains($0.count) }
    let count = lineWords.map(\.count).min() ?? 0
    let index = (0..<count).first { index in
      accounts.contains { ours in
        let named = ours.map { Set((devices[$0] ?? []).map { lineWords[$0][index] }) }
        let names = Set(named.compactMap(\.first))
        return named.allSatisfy { $0.count == 1 } && names.count == ours.count
          && lineWords.allSatisfy { names.contains($0[index]) }
      }
    }
    guard let index else { return nil }
    self.index = index
  }

  /// The connection of a line, from the text before its stanza; empty if it has none.
  func name(in head: ArraySlice<UInt8>) -> String {
    let words = Self.words(of: head)
    return words.count > index ? String(decoding: words[index], as: UTF8.self) : ""
  }

  private static func words(of head: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let words = head.prefix(512).split { byte in
      !(byte.isLetter || byte.isDigit || byte >= 0x80 || "-_./@#".utf8.contains(byte))
    }
    return Array(words.prefix(maximumWords))
  }
}
