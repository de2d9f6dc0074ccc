import RawBytes
import SessionCore
import XMPPStanza

// What a stanza says (rules 1, 2 and 22 to 28).
extension MessageStanza {
  /// Reads the text, the attachments or the encrypted payload of a stanza.
  mutating func readContent(of node: XMPPElement) {
    var content = MessageContent()
    content.bodies = Self.bodies(of: node)
    hasBody = node.hasChild("body", in: Namespace.client)
    subject =
      node.children("subject", in: Namespace.client).filter { !$0.isLeftOut }.min { a, b in
        // The subject without a language is the subject, as for bodies.
        !a.namesLanguage && b.namesLanguage
      }?.text
    // What these say concerns another message; a body next to them is for clients that do not
    // understand it (rules 21 and 22).
    guard retraction == nil, reactions == nil, furtherSources == nil else { return }
    content.isLeftOut = node.children.contains { $0.isLeftOut && $0.saysSomething }
    if let encrypted = Encryption(in: node, bodies: content.bodies) {
      guard encrypted.hasPayload else { return }
      content.isLeftOut = content.isLeftOut || encrypted.isLeftOut
      content.encryption = encrypted.namespace
      content.payload = encrypted.payload
      self.content = content
      return
    }
    content.body = content.bodies.first.map { Fallbacks.cut($0, in: node) } ?? ""
    readTypeWord(of: node, into: &content)
    addAttachments(of: node, to: &content)
    if content.bodies.contains(where: { !$0.isEmpty }) || !content.attachments.isEmpty
      || content.isLeftOut || invitation != nil
    {
      self.content = content
    }
  }

  /// The bodies, the one without a language first (rule 2).
  private static func bodies(of node: XMPPElement) -> [String] {
    let all = node.children("body", in: Namespace.client)
    let preferred = all.firstIndex { !$0.namesLanguage } ?? 0
    return all.indices.sorted { ($0 == preferred ? -1 : $0) < ($1 == preferred ? -1 : $1) }
      .map { all[$0].text }
  }

  // MARK: Rule 24

  private mutating func readTypeWord(of node: XMPPElement, into content: inout MessageContent) {
    guard type == .chat, let word = subject.flatMap(TypeWord.init(rawValue:)) else { return }
    content.typeWord = word.rawValue
    subject = nil
    guard let child = word.child(of: node) else { return }
    if var attachment = Self.attachment(child.media, content.bodies.first) {
      attachment.name = child.name
      content.attachments.append(attachment)
      content.body = ""
    } else {
      notes.insert(.mediaUnreadable)
    }
  }

  /// The attachment whose bytes are in the child of a type word, or else in the body.
  private static func attachment(_ child: XMPPElement?, _ body: String?) -> Attachment? {
    if let child {
      var media: MediaBytes?
      child.withText { media = MediaBytes(base64: $0) }
      return media.map { Attachment($0, source: .inline) }
    }
    // Short words are valid base64 too, so the bytes of a body must be in a known format.
    guard let body,
      let media = body.withUTF8Bytes({ MediaBytes(base64: $0) }), media.description != nil
    else { return nil }
    return Attachment(media, source: .inline)
  }

  // MARK: Rules 25 to 27

  private mutating func addAttachments(of node: XMPPElement, to content: inout MessageContent) {
    content.attachments += SharedFiles.files(in: node)
    let thumbnails = SharedFiles.thumbnails(in: node)
    for data in node.children("data", in: Namespace.bitsOfBinary)
    where !thumbnails.contains(ExactText(data.attribute("cid") ?? "")) {
      switch BitsOfBinary(data) {
      case .media(let media, let contentID):
        var attachment = Attachment(media, source: .bob)
        attachment.contentID = contentID
        content.attachments.append(attachment)
      case .wrongDigest: notes.insert(.digestWrong)
      case nil: break
      }
    }
    for contentID in Self.pictures(in: node) {
      guard !content.attachments.contains(where: { $0.contentID.hasSameBytes(as: contentID) })
      else { continue }
      var attachment = Attachment(kind: .picture, source: .bob)
      attachment.contentID = contentID
      content.attachments.append(attachment)
    }
    for url in Self.outOfBandURLs(of: node) {
      // A file described twice is one file.
      guard !content.attachments.contains(where: { $0.has(url) }) else { continue }
      let body = content.bodies.first ?? ""
      guard body.isEmpty || body.hasSameBytes(as: url) else { continue }
      var attachment = Attachment(kind: MediaKind(ofURL: url), source: .oob)
      attachment.url = url
      content.attachments.append(attachment)
    }
  }

  /// The content ids of the pictures in the formatted text; their bytes may be asked for.
  private static func pictures(in node: XMPPElement) -> [String] {
    guard let text = node.child("html", in: Namespace.formattedText) else { return [] }
    var found: [String] = []
    var waiting = [text]
    while let element = waiting.popLast() {
      if element.name.local.hasSameBytes(as: "img"), let source = element.filledAttribute("src"),
        source.utf8.starts(with: "cid:".utf8)
      {
        found.append(String(source.dropFirst(4)))
      }
      waiting += element.children.reversed()
    }
    return found
  }

  private static func outOfBandURLs(of node: XMPPElement) -> [String] {
    node.children("x", in: Namespace.outOfBand).compactMap { link in
      link.filledText(ofChild: "url", in: Namespace.outOfBand)
    }
  }
}

extension XMPPElement {
  /// Whether this child of a message can be a text or a file that makes the stanza a message (rules
  /// 1 and 24 to 26).
  fileprivate var saysSomething: Bool {
    switch (name.namespace, name.local) {
    case (Namespace.client, "body"), (Namespace.client, "ImageMessage"),
      (Namespace.client, "VoiceMessage"), (Namespace.bitsOfBinary, "data"),
      (Namespace.outOfBand, "x"), (Namespace.fileSharing, "file-sharing"),
      // The file of XEP-0385 is in its reference; a mention has nothing that could be left out.
      (Namespace.references, "reference"), (Namespace.formattedText, "html"):
      true
    default: false
    }
  }
}

/// The words that the tutorials put into a subject (rule 24).
private enum TypeWord: String {
  case text = "TextMessage"
  case picture = "ImageMessage"
  case voice = "VoiceMessage"

  /// The element with the bytes, if there is one, and the name that the sender gave; nil for text.
  func child(of node: XMPPElement) -> (media: XMPPElement?, name: String?)? {
    switch self {
    case .text: nil
    case .picture:
      (
        node.child("ImageMessage", in: Namespace.client),
        node.filledText(ofChild: "XMPPElementImageMessage", in: Namespace.client)
      )
    case .voice:
      (
        node.child("VoiceMessage", in: Namespace.client),
        node.filledText(ofChild: "XMPPElementVoiceMessage", in: Namespace.client)
      )
    }
  }
}

/// The encryption of a stanza (rule 28).
private struct Encryption {
  let namespace: String
  /// The payload; for an encryption that is only named, the text of the stanza.
  let payload: String?
  /// False for key transport, which is not a message.
  let hasPayload: Bool
  /// Whether the recorder has left out the payload.
  var isLeftOut = false

  /// Nil if the stanza is not encrypted.
  init?(in node: XMPPElement, bodies: [String]) {
    if let (element, namespace) = node.child("encrypted", in: Namespace.omemo) {
      self.init(namespace, element.child("payload", in: namespace))
    } else if let element = node.child("openpgp", in: Namespace.openPGP) {
      self.init(Namespace.openPGP, element)
    } else if let element = node.child("x", in: Namespace.legacyPGP) {
      self.init(Namespace.legacyPGP, element)
    } else if let named = node.child("encryption", in: Namespace.encryption)?
      .filledAttribute("namespace")
    {
      self.init(named, payload: bodies.first, hasPayload: true)
    } else {
      return nil
    }
  }

  private init(_ namespace: String, _ carrier: XMPPElement?) {
    let text = carrier?.text
    let isLeftOut = carrier?.isLeftOut ?? false
    self.init(
      namespace, payload: text,
      hasPayload: isLeftOut || text.map { !$0.trimmedOfXMLSpace.isEmpty } ?? false)
    self.isLeftOut = isLeftOut
  }

  private init(_ namespace: String, payload: String?, hasPayload: Bool) {
    (self.namespace, self.payload, self.hasPayload) = (namespace, payload, hasPayload)
  }
}

/// The parts of a body that are only for clients that do not understand the rest of the stanza
/// (rule 23, XEP-0428).
enum Fallbacks {
  private static let understood: [String] = [
    Namespace.reply, Namespace.fileSharing, Namespace.inlineMedia, Namespace.outOfBand,
    Namespace.reactions, Namespace.retraction, Namespace.retraction0, Namespace.correction,
    Namespace.bitsOfBinary,
  ]

  /// A body without its fallbacks. Positions count Unicode scalars, and the end is excluded.
  ///
  /// Complexity: linear in the body and in the number of ranges, however they overlap.
  static func cut(_ body: String, in node: XMPPElement) -> String {
    let count = body.unicodeScalars.count
    var ranges: [Range<Int>] = []
    for namespace in Namespace.fallbacks {
      for fallback in node.children("fallback", in: namespace) {
        guard let subject = fallback.attribute("for"),
          understood.contains(where: { $0.hasSameBytes(as: subject) })
        else { continue }
        let named = fallback.children("body", in: namespace)
        if named.isEmpty, !fallback.hasChild("subject", in: namespace) { return "" }
        ranges += named.map { range(of: $0, count: count) }.filter { !$0.isEmpty }
      }
    }
    return ranges.isEmpty ? body : text(of: body.unicodeScalars, count: count, without: ranges)
  }

  /// The scalars that are in none of the ranges, which may overlap.
  private static func text(
    of scalars: String.UnicodeScalarView, count: Int, without ranges: [Range<Int>]
  ) -> String {
    // How many more ranges begin than end at each position.
    var edges = [Int](repeating: 0, count: count + 1)
    for range in ranges {
      edges[range.lowerBound] += 1
      edges[range.upperBound] -= 1
    }
    var text = String.UnicodeScalarView()
    var open = 0
    for (scalar, edge) in zip(scalars, edges) {
      open += edge
      if open == 0 { text.append(scalar) }
    }
    return String(text)
  }

  /// The range that an element names: everything if it names none, and nothing if it is invalid.
  private static func range(of element: XMPPElement, count: Int) -> Range<Int> {
    let (start, end) = (element.attribute("start"), element.attribute("end"))
    guard let first = start == nil ? 0 : Int(count: start),
      let last = end == nil ? count : Int(count: end), first <= last, last <= count
    else { return 0..<0 }
    return first..<last
  }
}

/// The bytes of XEP-0231.
enum BitsOfBinary {
  case media(MediaBytes, contentID: String)
  /// The digest of the bytes differs from the content id.
  case wrongDigest

  /// Reads a `<data/>`; nil if it has no bytes or no content id with a digest.
  init?(_ node: XMPPElement) {
    guard let contentID = node.filledAttribute("cid") else { return nil }
    var media: MediaBytes?
    node.withText { media = MediaBytes(base64: $0) }
    guard let media else { return nil }
    guard let named = Self.digest(of: contentID) else { return nil }
    let digest: String?
    switch named.algorithm.lowercased() {
    case "sha1", "sha-1": digest = media.sha1
    case "sha-256", "sha256": digest = media.sha256
    case "sha-512", "sha512": digest = media.sha512
    default: digest = nil
    }
    guard let digest, digest == named.value.lowercased() else {
      self = .wrongDigest
      return
    }
    self = .media(media, contentID: contentID)
  }

  /// The parts of `sha1+8f35fef110ffc5df08d579a50083ff9308fb6242@bob.xmpp.org`.
  private static func digest(of contentID: String) -> (algorithm: String, value: String)? {
    let local = contentID.split(separator: "@", maxSplits: 1)
    guard local.count == 2 else { return nil }
    let parts = local[0].split(separator: "+", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return (String(parts[0]), String(parts[1]))
  }
}

extension MediaKind {
  /// The kind of a media type that a sender claims.
  init(ofMediaType text: String?) {
    let group = text?.split(separator: "/").first?.lowercased()
    switch group {
    case "image": self = .picture
    case "audio": self = .voice
    case "video": self = .video
    default: self = .file
    }
  }

  /// The kind that the ending of a URL suggests; no file is fetched.
  init(ofURL url: String) {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else {
      self = .file
      return
    }
    switch name[name.index(after: dot)...].lowercased() {
    case "png", "jpg", "jpeg", "gif", "webp", "bmp", "heic", "heif", "avif", "svg": self = .picture
    case "aac", "amr", "mp3", "ogg", "oga", "opus", "wav", "m4a", "flac", "weba": self = .voice
    case "mp4", "webm", "mov", "mkv", "ogv", "3gp", "avi": self = .video
    default: self = .file
    }
  }
}
