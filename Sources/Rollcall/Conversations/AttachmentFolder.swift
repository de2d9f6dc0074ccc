package import ConversationCore
import Foundation

/// A folder into which pictures, recordings and files from a log are written.
///
/// Their bytes and names are from strangers. Each file is named by its digest, so that nothing that
/// a sender wrote becomes part of a path. It is readable for its owner only. No other file is
/// overwritten, and no link is followed, neither to the folder nor in it.
package final class AttachmentFolder {
  /// What writing a file did.
  package enum Outcome: Hashable, Sendable {
    case written
    /// The folder had the file already, with the same bytes.
    case present
  }

  private let path: String
  private let descriptor: Int32

  /// Opens a folder, and creates it if it is missing.
  ///
  /// - Throws: `AttachmentFolderError`
  package init(_ path: String) throws(AttachmentFolderError) {
    // With a slash at the end, a link to a folder would be followed.
    let path = Self.withoutSlashes(path)
    self.path = path
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .folder(path, reason: text(ofSystemCode: errno))
    }
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      var info = stat()
      let isLink = lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
      throw isLink
        ? AttachmentFolderError.link(path) : .folder(path, reason: text(ofSystemCode: code))
    }
  }

  private static func withoutSlashes(_ path: String) -> String {
    let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
    return end.map { String(path[...$0]) } ?? "/"
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns the path of the file with these bytes, written or not.
  package func path(of media: MediaBytes) -> String { "\(path)/\(media.fileName)" }

  /// Writes a file.
  ///
  /// - Throws: `AttachmentFolderError` if it cannot be written, or if something else has its name.
  package func add(_ media: MediaBytes) throws(AttachmentFolderError) -> Outcome {
    let name = media.fileName
    let file = openat(
      descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      guard errno == EEXIST else { throw .file(path(of: media), reason: text(ofSystemCode: errno)) }
      guard has(media) else { throw .other(path(of: media)) }
      return .present
    }
    do {
      try FileHandle(fileDescriptor: file, closeOnDealloc: true).write(contentsOf: media.bytes)
    } catch {
      // A part of a picture under its digest would be taken for the picture.
      unlinkat(descriptor, name, 0)
      throw .file(path(of: media), reason: sentence(of: error))
    }
    return .written
  }

  /// Whether a file of the name of these bytes has them.
  private func has(_ media: MediaBytes) -> Bool {
    // Opening a pipe would wait for its writer.
    let file = openat(descriptor, media.fileName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return false }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var info = stat()
    guard fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG,
      Int(info.st_size) == media.bytes.count, let data = try? handle.readToEnd()
    else { return false }
    return data.elementsEqual(media.bytes)
  }
}

/// The reason why a file of a log was not written to a folder.
package enum AttachmentFolderError: Error, Hashable, Sendable {
  /// The folder can neither be opened nor created.
  case folder(String, reason: String)
  /// The path of the folder is a symbolic link.
  case link(String)
  /// A file cannot be written.
  case file(String, reason: String)
  /// Something else has the name of a file.
  case other(String)
}

extension AttachmentFolderError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .folder(let path, let reason): "\(path): it is not a folder to write to: \(reason)"
    case .link(let path): "\(path): it is a link; name the folder itself"
    case .file(let path, let reason): "\(path): it cannot be written: \(reason)"
    case .other(let path): "\(path): something else has this name; it was left as it is"
    }
  }
}
