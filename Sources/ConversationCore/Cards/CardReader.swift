import RawBytes
package import XMPPStanza

/// Reads cards.
package enum CardReader {
  /// Reads the photo of a card; nil if it has none in it, or one that is not Base64.
  ///
  /// Complexity: linear in the photo.
  package static func photo(in card: XMPPElement, _ form: Card.Form) -> MediaBytes? {
    photoAndClaim(in: card, form)?.media
  }

  /// Reads a card; nil if it is empty, which means that there is none.
  static func card(_ card: XMPPElement, _ form: Card.Form, of jid: JID, record: UInt64) -> Card? {
    guard card.children.contains(where: { _ in true }) else { return nil }
    let photo = photoAndClaim(in: card, form).map { CardPhoto($0.media, claim: $0.claim) }
    return Card(
      jid: jid, form: form, fullName: text("FN", "fn", in: card, form),
      nickname: text("NICKNAME", "nickname", in: card, form), photo: photo, record: record)
  }

  /// The text of the first property of a name that is not blank.
  private static func text(
    _ upper: WantedName, _ lower: WantedName, in card: XMPPElement, _ form: Card.Form
  ) -> String? {
    for property in card.children {
      let text: String?
      switch form {
      case .vCardTemp:
        text = property.is(upper, in: Namespace.vCard) ? property.text : nil
      case .vCard4:
        // A property has a value for each type of value (RFC 6351 §5).
        text =
          property.is(lower, in: Namespace.vCard4)
          ? property.child("text", in: Namespace.vCard4)?.text : nil
      }
      if let trimmed = text?.trimmedOfXMLSpace, !trimmed.isEmpty { return trimmed }
    }
    return nil
  }

  private static func photoAndClaim(
    in card: XMPPElement, _ form: Card.Form
  ) -> (media: MediaBytes, claim: String?)? {
    switch form {
    case .vCardTemp:
      // A photo that the card only links to, with EXTVAL, is not in the log.
      guard let photo = card.child("PHOTO", in: Namespace.vCard) else { return nil }
      var media: MediaBytes?
      photo.withText(ofChild: "BINVAL", in: Namespace.vCard) { media = MediaBytes(base64: $0) }
      let claim = photo.child("TYPE", in: Namespace.vCard)?.text.trimmedOfXMLSpace
      return media.map { ($0, claim?.isEmpty == true ? nil : claim) }
    case .vCard4:
      guard let uri = card.child("photo", in: Namespace.vCard4)?.child("uri", in: Namespace.vCard4)
      else { return nil }
      return dataURI(uri.text.trimmedOfXMLSpace)
    }
  }

  /// The bytes and the media type of a `data:` address in Base64 (RFC 2397).
  private static func dataURI(_ address: String) -> (media: MediaBytes, claim: String?)? {
    guard let comma = address.utf8.firstIndex(of: UInt8(ascii: ",")) else { return nil }
    let head = address[..<comma].lowercased()
    guard head.hasPrefix("data:"), head.hasSuffix(";base64") else { return nil }
    let type = head.dropFirst("data:".utf8.count).prefix { $0 != ";" }
    let text = String(address[address.utf8.index(after: comma)...])
    return text.withUTF8Bytes { MediaBytes(base64: $0) }
      .map { ($0, type.isEmpty ? nil : String(type)) }
  }
}
