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

  /// Hands something to `body` that gives the details at an offset, with their count; both are
  /// valid while `body` runs.
  func withBytes(_ body: ((_ offset: Int) -> UnsafeRawBufferPointer) -> Void) {
    all.withUnsafeBytes { all in
      body { offset in
        UnsafeRawBufferPointer(rebasing: all[offset..<Self.read(all, at: offset) { $1 }])
      }
    }
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
    all.withUnsafeBytes { Self.read($0, at: offset, body) }
  }

  @inline(__always)
  private static func read<Result>(
    _ all: UnsafeRawBufferPointer, at offset: Int, _ body: (CanonicalInput, Int) -> Result
  ) -> Result {
    var input = CanonicalInput(UnsafeRawBufferPointer(rebasing: all[offset...]))
    let counted = (try? input.readCounted()) ?? .noBytes
    return body(CanonicalInput(counted), all.count - input.rest)
  }
}
