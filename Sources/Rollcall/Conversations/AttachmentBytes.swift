package import ConversationCore
import EventStore
import XMPPStanza

extension Timeline {
  /// Reads the bytes of an attachment from the record that has them; nil if the log does not have
  /// them.
  ///
  /// Complexity: linear in the record.
  package func media(of attachment: Attachment) throws -> MediaBytes? {
    guard attachment.isInLog, let size = attachment.size, let sha256 = attachment.sha256,
      let bytes = try bytes(ofRecord: attachment.record),
      let node = RecordReader().element(bytes)
    else { return nil }
    return MediaBytes.find(size: size, sha256: sha256, in: node)
  }
}
