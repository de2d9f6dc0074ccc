import RawBytes
import Testing

@testable import XMPPStanza

/// Names that are stored in two numbers.
@Suite("Packed names")
struct PackedNameTests {
  /// Each byte is different, so that no two can be mistaken for each other.
  private func name(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(ascii: "a") + UInt8($0) } }

  private func packed(_ name: [UInt8]) -> XMLPackedName {
    XMLPackedName(name.span.bytes)
  }

  @Test("A name of up to fifteen bytes is stored completely", arguments: 0...15)
  func short(count: Int) {
    let name = name(count)
    packed(name).withBytes { #expect([UInt8]($0) == name) }
    #expect(!packed(name).isLong)
    for place in name.indices {
      var other = name
      other[place] = UInt8(ascii: "-")
      #expect(packed(other) != packed(name), "byte \(place)")
    }
    if count > 0 { #expect(packed(Array(name.dropLast())) != packed(name)) }
  }

  @Test("Longer names are all equal", arguments: 16...20)
  func long(count: Int) {
    #expect(packed(name(count)) == .long && packed(name(count)).isLong)
  }
}
