/// The details of contacts in the stored form of a snapshot, each preceded by its length in bytes.
///
/// A checksum vouches for them, so reading does not fail. Details that cannot be read count as
/// empty, which a verification reports.
final class StoredDetails: Sendable {
  private let all: [UInt8]

  /// The total number of bytes.
  var byteCount: Int { all.count }

  /// - Parameter all: The output of `DetailsOutput`.
  init(_ all: [UInt8]) {
    self.all = all
  }

  /// The end of the details that begin at an offset, including their length.
  func end(ofDetailsAt offset: Int) -> Int { offset + bytes(at: offset).byteCount }

  /// All details from an offset on.
  @_lifetime(borrow self)
  private func rest(from offset: Int) -> RawSpan {
    let all = all
    // Valid as long as this object.
    return _overrideLifetime(all.span.bytes.extracting(droppingFirst: offset), borrowing: self)
  }

  /// The details at an offset, including their length.
  @_lifetime(borrow self)
  func bytes(at offset: Int) -> RawSpan {
    let rest = rest(from: offset)
    var input = CanonicalInput(rest)
    _ = try? input.readCounted()
    return rest.extracting(droppingLast: input.rest)
  }

  /// The decoded details at an offset.
  func details(at offset: Int) -> ContactDetails {
    var input = CanonicalInput(rest(from: offset))
    guard let counted = try? input.readCounted() else { return ContactDetails() }
    var details = DetailsInput(CanonicalInput(counted))
    return (try? details.read()) ?? ContactDetails()
  }
}
