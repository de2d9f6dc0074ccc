package import XMPPStanza

/// A request of ours without an answer so far (RFC 6120 §8.2.3).
package struct OpenQuery<Subject> {
  /// Its id, which need be unique for one addressee only (RFC 6120 §8.1.3).
  package var id: String
  /// The address that it went to; nil for our own account.
  package var to: JID?
  /// The record that sent it.
  package var sent: RecordStamp
  /// What it asks for, with what its answer is compared with.
  package var subject: Subject

  package init(id: String, to: JID?, sent: RecordStamp, subject: Subject) {
    (self.id, self.to, self.sent, self.subject) = (id, to, sent, subject)
  }

  /// Whether an answer from an address can be the answer to it, if the ids are equal.
  ///
  /// - Parameter owner: Whose the session is that the answer arrived in.
  package func mayBeAnswered(by from: JID?, in owner: SessionOwner) -> Bool {
    owner.mayAnswer(from, to: to)
  }
}

extension OpenQuery: Equatable where Subject: Equatable {}
extension OpenQuery: Hashable where Subject: Hashable {}
extension OpenQuery: Sendable where Subject: Sendable {}
