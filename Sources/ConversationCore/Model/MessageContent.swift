import RawBytes

/// What a stanza says: its text, its attachments or its encrypted payload (rule 1).
package struct MessageContent: Sendable {
  /// All bodies of the stanza as they were sent, the one that counts first (rule 2).
  package var bodies: [String] = []
  /// The text to show, without fallbacks (rule 23); empty if there is none.
  package var body = ""
  package var attachments: [Attachment] = []
  /// The namespace of the encryption; nil if the message is not encrypted (rule 28).
  package var encryption: String?
  /// The encrypted payload, as text.
  var payload: String?
  /// The subject that the tutorials use as a type (rule 24).
  package var typeWord: String?
  /// Whether the stanza shows only that its message was retracted: what that said is not known
  /// (rule 21).
  var isTombstone = false
  /// Whether the recorder has left out what the stanza says (`MessageHead`).
  package var isLeftOut = false

  /// What copies of a message without ids have in common.
  var identity: ExactText {
    ExactText(payload ?? attachments.first?.identity.text ?? bodies.first ?? "")
  }

  /// Whether both have the same body, payload or attachments (rule 10), as far as that is known:
  /// what was left out can equal anything.
  package func mayEqual(_ other: MessageContent) -> Bool {
    if isTombstone || other.isTombstone || isLeftOut || other.isLeftOut { return true }
    if encryption != nil || other.encryption != nil {
      return encryption.hasSameBytes(as: other.encryption)
        && payload.hasSameBytes(as: other.payload)
    }
    let hasSameBody =
      bodies.isEmpty && other.bodies.isEmpty
      || bodies.contains { body in other.bodies.contains { $0.hasSameBytes(as: body) } }
    return hasSameBody && attachments.map(\.identity) == other.attachments.map(\.identity)
  }
}
