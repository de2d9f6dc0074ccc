import XMPPStanza

extension BareJID {
  /// The contact that a command line names.
  init(argument: String) throws {
    do {
      self = try JID(parsing: argument).bare
    } catch {
      throw Failure("“\(argument)” is no address: \(error)")
    }
  }
}
