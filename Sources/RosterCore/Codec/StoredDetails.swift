/// The details of contacts as a snapshot has them, each after its count of bytes.
///
/// All were looked through before anybody refers to them, or a checksum says that they are what was
/// written, so that to read them never fails.
final class StoredDetails: Sendable {
  private let all: [UInt8]

  /// How many bytes all of them take.
  var byteCount: Int { all.count }

  /// Copies what `DetailsOutput` wrote.
  init(_ bytes: UnsafeRawBufferPointer) {
    all = Array(bytes)
  }

  /// Details with their count.
  func bytes(at offset: Int) -> ArraySlice<UInt8> {
    read(at: offset) { (input, start) in all[offset..<start + input.rest] }
  }

  /// The details.
  func details(at offset: Int) -> ContactDetails {
    read(at: offset) { (input, _) in
      var details = DetailsInput(input)
      // It was looked through by the same function.
      return (try? details.read()) ?? ContactDetails()
    }
  }

  /// Hands details without their count to `body`, and where they begin.
  private func read<Result>(at offset: Int, _ body: (CanonicalInput, Int) -> Result) -> Result {
    all.withUnsafeBytes { bytes in
      var input = CanonicalInput(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
      let counted = (try? input.readCounted()) ?? .noBytes
      return body(CanonicalInput(counted), bytes.count - input.rest - counted.count)
    }
  }
}
