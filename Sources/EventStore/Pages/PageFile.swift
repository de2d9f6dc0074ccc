#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The pages of a log's file, read without LMDB and safely even if they are damaged.
///
/// The layout is that of LMDB 0.9 on a 64-bit little-endian machine. Pages are read, not mapped, so
/// that a file that is truncated in the meantime causes an error and not a signal.
struct PageFile: ~Copyable {
  private let descriptor: Int32
  let path: String
  let pageSize: Int
  /// The number of whole pages in the file.
  let pageCount: UInt64
  let metaPages: MetaPages
  /// The meta page of the state to read; nil if there is none.
  let meta: MetaPage?
  /// Whether a read transaction holds the state, so that another process may be writing.
  let isHeld: Bool

  /// - Parameter transaction: The transaction whose state to read; nil for the last one.
  init(_ path: String, transaction: UInt64? = nil) throws(EventLogError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(doing: "open", path: path, code: errno) }
    self.path = path
    metaPages = MetaPages(read: descriptor)
    // Read the size after the meta pages, because a file grows before its meta page changes.
    let size = lseek(descriptor, 0, SEEK_END)
    isHeld = transaction != nil
    meta = metaPages.readable.first { $0.transaction == transaction } ?? metaPages.newest
    pageSize = metaPages.pageSize
    pageCount = UInt64(max(0, size)) / UInt64(pageSize)
  }

  deinit { close(descriptor) }

  /// Whether the meta pages are unchanged, so that everything read since belongs to one state.
  var isUnchanged: Bool { MetaPages(of: descriptor) == metaPages }

  /// The current size of the file in bytes.
  var byteCount: UInt64 {
    get throws(EventLogError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else {
        throw .system(doing: "look at", path: path, code: errno)
      }
      return UInt64(max(0, status.st_size))
    }
  }

  /// Reads a page; nil if it is beyond the end of the file.
  func page(_ number: UInt64) throws(EventLogError) -> Page? {
    guard number < pageCount else { return nil }
    let bytes = try read(pageSize, at: number * UInt64(pageSize))
    return bytes.map { Page(number: number, bytes: $0) }
  }

  /// Reads the value of a node of a leaf page; nil if it reaches beyond the end of the file.
  func value(of node: Page.Node, in page: Page) throws(EventLogError) -> [UInt8]? {
    guard let overflow = node.overflow else { return Array(page.bytes[node.value]) }
    guard overflow < pageCount else { return nil }
    return try read(node.size, at: overflow * UInt64(pageSize) + UInt64(Page.headerBytes))
  }

  private func read(_ count: Int, at offset: UInt64) throws(EventLogError) -> [UInt8]? {
    // The size may come from a damaged page, so check it before allocating that much.
    guard offset + UInt64(count) <= pageCount * UInt64(pageSize) else { return nil }
    var done = 0
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while done < count {
        let part = pread(
          descriptor, buffer.baseAddress.map { $0 + done }, count - done,
          off_t(offset) + off_t(done))
        if part <= 0 {
          if part < 0 && errno == EINTR { continue }
          failure = part < 0 ? errno : 0
          break
        }
        done += part
      }
      filled = done
    }
    guard failure == 0 else { throw .system(doing: "read", path: path, code: failure) }
    return done == count ? bytes : nil
  }
}
