import Foundation

/// Reads the files that orders name.
enum LocalFile {
  /// The bytes of a regular file: any other one could block, or never end.
  ///
  /// - Throws: `OrderError` if it is none, or has more bytes than the limit; otherwise the system's
  ///   error.
  static func bytes(at path: String, limit: Int) throws -> [UInt8] {
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
      throw OrderError.notAFile(path)
    }
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    let bytes = try file.read(upToCount: limit + 1) ?? Data()
    guard bytes.count <= limit else { throw OrderError.tooLarge(path, limit: limit) }
    return Array(bytes)
  }
}
