import Rollcall
import XMPPStanza
import XMPPStream

// What an application may send as a stanza (RFC 6120 §8).
extension XMPPElement {
  /// Why the element cannot be sent as a stanza, as a clause; nil if it can.
  ///
  /// Complexity: linear in the element.
  var faultAsStanza: String? {
    guard isStanza else {
      return "only iq, message and presence of \(Namespace.client) are stanzas"
    }
    return faultAsIQ ?? faultAsXML
  }

  private var faultAsIQ: String? {
    guard name.local == "iq" else { return nil }
    switch attribute("type") {
    case "get", "set":
      return Array(children).count == 1 ? nil : "a request has exactly one child (RFC 6120 §8.2.3)"
    case "result", "error": return "a request is answered with LiveSession.answer or refuse"
    default: return "the type of an iq is get, set, result or error"
    }
  }

  /// The server has to read the same element: a stream ends at a character that XML does not allow.
  var faultAsXML: String? {
    var intake = StreamIntake(SessionLimits())
    guard case .element(let read)? = intake.take(serialized()).first, intake.isBetweenElements,
      read.node == self
    else { return "it has a name or a character that XML does not allow, or is too large" }
    return nil
  }
}
