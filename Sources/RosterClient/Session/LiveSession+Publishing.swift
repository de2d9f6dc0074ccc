import Rollcall
import XMPPStanza

// What the account publishes about itself.
extension LiveSession {
  /// Changes the names on the account's card, in both forms of cards: vcard-temp (XEP-0054) and
  /// vCard4 (XEP-0292). Everything else on the card stays as the server has it.
  ///
  /// A server that keeps one form only gets that one; one that keeps both gets both.
  ///
  /// - Parameters:
  ///   - fullName: The full name; nil leaves it, an empty text removes it.
  ///   - nickname: The nickname; likewise.
  /// - Throws: `LiveError` as `send(_:)` for stanzas: the answer of the server if it refuses both
  ///   forms.
  public func setCard(fullName: String?, nickname: String? = nil) async throws(LiveError) {
    guard fullName != nil || nickname != nil else { return }
    let refusal = try await refusal { () throws(LiveError) in
      try await setLegacyCard(fullName, nickname)
    }
    let modern = try await self.refusal { () throws(LiveError) in
      try await setModernCard(fullName, nickname)
    }
    if let refusal, modern != nil { throw .refused(refusal) }
  }

  private func setLegacyCard(_ fullName: String?, _ nickname: String?) async throws(LiveError) {
    let question = XMPPElement.question(.element("vCard", Namespace.vCard))
    let card = try await answer(to: question)?.child("vCard", in: Namespace.vCard)
    let changed = AccountCard.legacy(card, fullName: fullName, nickname: nickname)
    if changed != card { try await send(.change(changed)) }
  }

  private func setModernCard(_ fullName: String?, _ nickname: String?) async throws(LiveError) {
    let items = XMPPElement.element("items", Namespace.pubsub, [("node", Namespace.vCard4Node)])
    let question = XMPPElement.question(.element("pubsub", Namespace.pubsub, [], [items]))
    let item = try await answer(to: question)?.child("pubsub", in: Namespace.pubsub)?
      .child("items", in: Namespace.pubsub)?.child("item", in: Namespace.pubsub)
    let card = item?.child("vcard", in: Namespace.vCard4)
    let changed = AccountCard.modern(card, fullName: fullName, nickname: nickname)
    guard changed != card else { return }
    let id = item?.attribute("id") ?? "current"
    try await send(.publishing(changed, at: Namespace.vCard4Node, id: id))
  }

  /// The result of a request; nil if there is nothing yet.
  private func answer(to question: XMPPElement) async throws(LiveError) -> XMPPElement? {
    do throws(LiveError) {
      guard case .result(let iq, _) = try await send(question) else { return nil }
      return iq
    } catch {
      guard case .refused(let reason) = error, reason.condition == "item-not-found" else {
        throw error
      }
      return nil
    }
  }

  /// The refusal that ended an operation; nil if it succeeded. Throws every other error.
  private func refusal(
    of operation: () async throws(LiveError) -> Void
  ) async throws(LiveError) -> StanzaError? {
    do throws(LiveError) {
      try await operation()
      return nil
    } catch {
      guard case .refused(let reason) = error else { throw error }
      return reason
    }
  }

  /// Publishes the account's avatar (XEP-0084).
  ///
  /// - Parameter picture: The bytes of a picture in PNG, which all clients show, JPEG, GIF or WebP;
  ///   at most 128 KiB.
  /// - Throws: `LiveError`: `unfitPicture`, or as `send(_:)` for stanzas.
  public func setAvatar(_ picture: [UInt8]) async throws(LiveError) {
    let avatar = try AvatarPicture(picture)
    try await send(avatar.data)
    try await send(avatar.metadata)
  }

  /// Publishes that the account has no avatar.
  ///
  /// - Throws: `LiveError` as `send(_:)` for stanzas.
  public func removeAvatar() async throws(LiveError) {
    try await send(AvatarPicture.none)
  }
}
