import XMPPStanza

/// A session that can be resumed on another connection (XEP-0198 §5).
///
/// The resumed session is the same one: what was asked before is answered to the same ids.
package struct Resumption: Hashable, Sendable {
  /// What both sides have counted.
  package var management: StreamManagement
  /// The id of the session.
  var id: String
  /// The resource that the server bound.
  var resource: String?
  /// The requests that are not answered, by id.
  var open: [String: ClientMachine.OpenRequest]
  /// The requests of others that the application has yet to answer.
  var held: [ClientMachine.HeldRequest]

  /// - Returns: Nil if the server does not offer to resume the session.
  init?(_ session: ClientMachine.Session) {
    guard let management = session.management, let id = management.id else { return nil }
    (self.management, self.id) = (management, id)
    (resource, open, held) = (session.resource, session.open, session.held)
  }

  /// Whether any of these stanzas is sent again if the session is resumed.
  func resends(anyOf stanzas: [[UInt8]]) -> Bool { management.holds(anyOf: stanzas) }
}
