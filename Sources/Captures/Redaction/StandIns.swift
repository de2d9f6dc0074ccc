/// Texts that replace others: equal for equal bytes, and different for different ones.
struct StandIns {
  private var standIns: [[UInt8]: String]
  private let make: (Int) -> String

  /// Creates stand-ins that are numbered in the order in which they are first requested.
  init(_ make: @escaping (Int) -> String) {
    standIns = [:]
    self.make = make
  }

  /// Creates the stand-ins of known originals, numbered in their order.
  ///
  /// The numbers have equal lengths, so that the stand-ins sort as their numbers do.
  init(_ originals: [[UInt8]], _ make: (_ original: String, _ number: String) -> String) {
    standIns = Dictionary(
      uniqueKeysWithValues: zip(originals, Self.numbers(originals.count)).map { original, number in
        (original, make(String(decoding: original, as: UTF8.self), number))
      })
    self.make = { "unknown\($0)" }
  }

  /// Returns the numbers from 1 to `count`, with leading zeros where they are shorter.
  static func numbers(_ count: Int) -> [String] {
    let digits = String(count).count
    return (0..<count).map { index in
      let number = String(index + 1)
      return String(repeating: "0", count: digits - number.count) + number
    }
  }

  subscript(original: String) -> String {
    mutating get {
      let key = Array(original.utf8)
      if let known = standIns[key] { return known }
      let new = make(standIns.count + 1)
      standIns[key] = new
      return new
    }
  }
}
