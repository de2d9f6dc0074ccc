/// Texts that stand for others: the same for the same bytes, and another for any other.
struct StandIns {
  private var made: [[UInt8]: String]
  private let make: (Int) -> String

  /// Numbers them in the order in which they are asked for.
  init(_ make: @escaping (Int) -> String) {
    made = [:]
    self.make = make
  }

  /// Numbers what is known beforehand in the order that it is given in, with numbers of equal
  /// length, so that the stand-ins sort as their numbers do.
  init(_ originals: [[UInt8]], _ make: (_ original: String, _ number: String) -> String) {
    made = Dictionary(
      uniqueKeysWithValues: zip(originals, Self.numbers(originals.count)).map { original, number in
        (original, make(String(decoding: original, as: UTF8.self), number))
      })
    self.make = { "unknown\($0)" }
  }

  /// The numbers from 1, with zeros before the shorter ones.
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
      if let known = made[key] { return known }
      let new = make(made.count + 1)
      made[key] = new
      return new
    }
  }
}
