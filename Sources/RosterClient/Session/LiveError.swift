public import Rollcall

/// Why a command, or a stanza, was not carried out, or why that is not known.
public enum LiveError: Error, Hashable, Sendable {
  /// The command makes no sense. Nothing was sent.
  case invalid(CommandRefusal)
  /// The element is not a stanza that can be sent; a clause says why. Nothing was sent.
  case notAStanza(String)
  /// There is no session, or it was lost or closed while the command waited for the roster or the
  /// file for its place. The command, stanza or file was not sent.
  case failure(LiveFailure)
  /// The file cannot be uploaded.
  case upload(UploadFailure)
  /// The picture cannot be published; a clause says why. Nothing was sent.
  case unfitPicture(String)
  /// The answer is an error, from the server or from the address that was asked.
  case refused(StanzaError)
  /// No answer came within a minute. The server may have carried it out; it is not sent again.
  case timeout
  /// The command or stanza was sent, and the wait for its answer has ended: the connection was
  /// lost, the task was cancelled, something could not be recorded, or no answer came within a
  /// minute and a resumed session would send it again. The server may have carried it out.
  ///
  /// `willBeSentAgain` says whether the server has yet to confirm that it received the stanza, so
  /// that the stanza is sent again if the session is resumed over another connection (XEP-0198 §5).
  /// If the server begins a new session instead, nothing is sent again.
  case outcomeUnknown(willBeSentAgain: Bool)
}

extension LiveError: CustomStringConvertible {
  /// A sentence for a person.
  public var description: String {
    switch self {
    case .invalid(let refusal): "\(refusal)"
    case .notAStanza(let clause): "it cannot be sent: \(clause)"
    case .failure(let failure): "\(failure)"
    case .upload(let failure): "\(failure)"
    case .unfitPicture(let clause): "the picture cannot be published: \(clause)"
    case .refused(let error): "it was refused (\(error))"
    case .timeout: "no answer in time: it is not known whether the server has carried this out"
    case .outcomeUnknown(willBeSentAgain: true):
      "it is not known whether the server has carried this out; it is sent again if the session "
        + "is resumed"
    case .outcomeUnknown(willBeSentAgain: false):
      "it is not known whether the server has carried this out; it is not sent again"
    }
  }
}
