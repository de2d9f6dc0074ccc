import Digests
import RawBytes
import XMPPStanza

/// The files that a stanza describes by XEP-0447 or XEP-0385 (rule 26).
enum SharedFiles {
  /// The files, in order.
  static func files(in node: XMPPElement) -> [Attachment] {
    let shared = node.children("file-sharing", in: Namespace.fileSharing).compactMap {
      file(in: $0, described: Namespace.fileMetadata, sources: Namespace.fileSharing)
    }
    let inline = node.children("reference", in: Namespace.references).compactMap { reference in
      reference.child("media-sharing", in: Namespace.inlineMedia).flatMap {
        file(in: $0, described: Namespace.jingleFile, sources: Namespace.inlineMedia)
      }
    }
    return shared + inline
  }

  private static func file(
    in sharing: XMPPElement, described namespace: String, sources: String
  ) -> Attachment? {
    let file = sharing.child("file", in: namespace)
    let urls = sharing.child("sources", in: sources).map(urls) ?? []
    guard file != nil || !urls.isEmpty else { return nil }
    var attachment = Attachment(kind: .file, source: .sfs)
    attachment.id = sharing.filledAttribute("id")
    attachment.add(urls)
    if let file { describe(&attachment, by: file, namespace) }
    attachment.kind = MediaKind(ofMediaType: attachment.mediaType)
    if attachment.mediaType == nil, let named = attachment.name ?? attachment.url {
      attachment.kind = MediaKind(ofURL: named)
    }
    return attachment
  }

  private static func describe(
    _ attachment: inout Attachment, by file: XMPPElement, _ namespace: String
  ) {
    attachment.name = file.filledText(ofChild: "name", in: namespace)
    attachment.mediaType = file.filledText(ofChild: "media-type", in: namespace)
    attachment.size = Int(count: file.child("size", in: namespace)?.text)
    attachment.duration = Int(count: file.child("length", in: namespace)?.text)
    attachment.width = Int(count: file.child("width", in: namespace)?.text)
    attachment.height = Int(count: file.child("height", in: namespace)?.text)
    if let dimensions = file.filledText(ofChild: "dimensions", in: namespace) {
      let parts = dimensions.split(separator: "x")
      if parts.count == 2 {
        attachment.width = attachment.width ?? Int(count: String(parts[0]))
        attachment.height = attachment.height ?? Int(count: String(parts[1]))
      }
    }
    for hash in file.children("hash", in: Namespace.hashes) {
      var digest: [UInt8]?
      hash.withText { digest = Base64.decode($0) }
      switch (hash.attribute("algo"), digest?.count) {
      case ("sha-256", 32): attachment.sha256 = digest?.hexadecimal
      case ("sha-1", 20): attachment.sha1 = digest?.hexadecimal
      default: break
      }
    }
  }

  /// The addresses that `<sources/>` has, in order. Those of an encrypted file are inside of its
  /// own element (XEP-0448), with its key.
  static func urls(of sources: XMPPElement) -> [String] {
    sources.children.flatMap { source in
      if source.is("encrypted", in: Namespace.encryptedFile) {
        return source.child("sources", in: Namespace.fileSharing).map(plainURLs) ?? []
      }
      return plainURL(of: source).map { [$0] } ?? []
    }
  }

  private static func plainURLs(of sources: XMPPElement) -> [String] {
    sources.children.compactMap { plainURL(of: $0) }
  }

  private static func plainURL(of source: XMPPElement) -> String? {
    if source.is("url-data", in: Namespace.urlData) { return source.filledAttribute("target") }
    if source.is("reference", in: Namespace.references) { return source.filledAttribute("uri") }
    return nil
  }

  /// The content ids of the small pictures of shared files (XEP-0264), which are no files of their
  /// own.
  static func thumbnails(in node: XMPPElement) -> Set<ExactText> {
    let shared = node.children("file-sharing", in: Namespace.fileSharing).compactMap {
      $0.child("file", in: Namespace.fileMetadata)
    }
    let inline = node.children("reference", in: Namespace.references).compactMap {
      $0.child("media-sharing", in: Namespace.inlineMedia)?
        .child("file", in: Namespace.jingleFile)
    }
    let addresses = (shared + inline).flatMap { $0.children("thumbnail", in: Namespace.thumbnails) }
      .compactMap { $0.attribute("uri") }
    return Set(
      addresses.filter { $0.utf8.starts(with: "cid:".utf8) }.map {
        ExactText(String($0.dropFirst(4)))
      })
  }
}
