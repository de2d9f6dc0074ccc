/// The details of contacts as a snapshot has them, each after its count of bytes.
///
/// All were looked through before anybody refers to them, or a checksum says that they are what was
/// written, so that to read them never fails.
final class StoredDetails: Sendable {
  private let all: [UInt8]

  /// How many bytes all of them take.
  var byteCount: Int { all.count }

  /// What `DetailsOutput` wrote.
  init(_ all: [UInt8]) {
    self.all = all
  }

  /// Where the details end, with their count, that begin at an offset.
  func end(ofDetailsAt offset: Int) -> Int { offset + bytes(at: offset).byteCount }

  /// All from an offset on.
  @_lifetime(borrow self)
  private func rest(from offset: Int) -> RawSpan {
    let all = all
    // They are there as long as this is.
    return _overrideLifetime(all.span.bytes.extracting(droppingFirst: offset), borrowing: self)
  }

  /// The details at an offset, with their count.
  @_lifetime(borrow self)
  func bytes(at offset: Int) -> RawSpan {
    let rest = rest(from: offset)
    var input = CanonicalInput(rest)
    _ = try? input.readCounted()
    return rest.extracting(droppingLast: input.rest)
  }

  /// The same as a value.
  func details(at offset: Int) -> ContactDetails {
    var input = CanonicalInput(rest(from: offset))
    guard let counted = try? input.readCounted() else { return ContactDetails() }
    var details = DetailsInput(CanonicalInput(counted))
    // It was looked through by the same function.
    return (try? details.read()) ?? ContactDetails()
  }
}
