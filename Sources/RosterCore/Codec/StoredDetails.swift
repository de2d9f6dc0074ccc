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
  func end(ofDetailsAt offset: Int) -> Int { read(at: offset) { $1 } }

  /// Hands details with their count to `body`, valid while it runs.
  func withBytes(at offset: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    let end = end(ofDetailsAt: offset)
    all.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset..<end])) }
  }

  /// The details.
  func details(at offset: Int) -> ContactDetails {
    read(at: offset) { (input, _) in
      var details = DetailsInput(input)
      // It was looked through by the same function.
      return (try? details.read()) ?? ContactDetails()
    }
  }

  /// Hands details without their count to `body`, and where they end.
  private func read<Result>(at offset: Int, _ body: (CanonicalInput, Int) -> Result) -> Result {
    all.withUnsafeBytes { bytes in
      var input = CanonicalInput(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
      let counted = (try? input.readCounted()) ?? .noBytes
      return body(CanonicalInput(counted), bytes.count - input.rest)
    }
  }
}
