import RawBytes

/// A file that a message carries or names (rules 24 to 27).
package struct Attachment: Sendable {
  /// How the stanza carries or names the file; the names are those of the JSON document.
  package enum Source: String, Hashable, Sendable, CaseIterable {
    /// Base64 in the stanza, as the tutorials send it.
    case inline
    /// XEP-0231.
    case bob
    /// XEP-0066.
    case oob
    /// XEP-0447 or XEP-0385.
    case sfs
  }

  package var kind: MediaKind
  package var source: Source
  /// The id by which the sender attaches further sources (XEP-0447 §3.2).
  var id: String?
  /// The address, without a key; nil if the file has none.
  package var url: String?
  /// Whether the address was attached later; copies of the message do not have it.
  var isURLAttached = false
  /// Further addresses of the file.
  package var furtherURLs: [String] = []
  /// The name that the sender gave. Never use it as the name of a file.
  package var name: String?
  package var mediaType: String?
  /// The size in bytes.
  package var size: Int?
  /// Digests in lower-case hexadecimal.
  package var sha256: String?
  package var sha1: String?
  package var width: Int?
  package var height: Int?
  /// The duration in milliseconds.
  package var duration: Int?
  /// Whether the bytes are in the log.
  package var isInLog = false
  /// The content id of XEP-0231.
  package var contentID: String?
  /// The record that has the bytes; 0 if none has.
  package var record: UInt64 = 0

  package init(kind: MediaKind, source: Source) {
    self.kind = kind
    self.source = source
  }

  /// A file whose bytes are in the log, described by them.
  init(_ media: MediaBytes, source: Source) {
    self.init(kind: media.kind, source: source)
    mediaType = media.mediaType
    size = media.bytes.count
    sha256 = media.sha256
    sha1 = media.sha1
    width = media.description?.pixels?.width
    height = media.description?.pixels?.height
    duration = media.description?.milliseconds
    isInLog = true
  }

  /// Whether a text is an address of the file.
  func has(_ url: String) -> Bool {
    self.url.hasSameBytes(as: url) || furtherURLs.contains { $0.hasSameBytes(as: url) }
  }

  /// Adds addresses, each of them once.
  mutating func add(_ urls: [String]) {
    var known = Set((furtherURLs + [url].compactMap { $0 }).map { ExactText($0) })
    for new in urls where known.insert(ExactText(new)).inserted {
      if url == nil { url = new } else { furtherURLs.append(new) }
    }
  }

  /// What distinguishes the file from others in comparisons of copies: its digest if its bytes are
  /// in the log, else the address that its message has.
  var identity: ExactText {
    let sent = isURLAttached ? nil : url
    return ExactText(contentID ?? (isInLog ? sha256 : nil) ?? sent ?? sha256 ?? name ?? "")
  }
}
