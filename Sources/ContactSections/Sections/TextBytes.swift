// Compares texts by their bytes, as servers do. Swift considers canonically equivalent texts equal,
// and then the screen would not show a name that changed only its normal form.
extension String {
  func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}

extension String? {
  func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let mine?, let others?): mine.hasSameBytes(as: others)
    case (nil, _?), (_?, nil): false
    }
  }
}

extension [String] {
  /// The texts in byte order, without duplicates.
  var withoutRepetition: [String] {
    guard count > 1 else { return self }
    let sorted = sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return sorted.indices
      .filter { $0 == 0 || !sorted[$0].hasSameBytes(as: sorted[$0 - 1]) }
      .map { sorted[$0] }
  }
}
