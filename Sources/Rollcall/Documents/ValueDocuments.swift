import Captures
import RosterCore
import XMPPStanza

// Values of the state, as documents have them.

extension Completeness {
  /// What is known of the roster, as a document names it.
  var name: String {
    switch self {
    case .neverFetched: "neverFetched"
    case .baseUnknown: "baseUnknown"
    case .complete: "complete"
    }
  }
}

extension RosterChange.ItemField {
  var values: (before: JSONValue, after: JSONValue) {
    switch self {
    case .name(let before, let after): (JSONValue(before), JSONValue(after))
    case .subscription(let before, let after):
      (.string(before.rawValue), .string(after.rawValue))
    case .ask(let before, let after):
      (before ? .string("subscribe") : .null, after ? .string("subscribe") : .null)
    case .approved(let before, let after): (.bool(before), .bool(after))
    case .groups(let before, let after): (JSONValue(before), JSONValue(after))
    }
  }
}

extension RosterChange.AnnotationField {
  var values: (before: JSONValue, after: JSONValue) {
    switch self {
    case .starred(let isStarred): (.bool(!isStarred), .bool(isStarred))
    case .reading(let before, let after), .note(let before, let after):
      (JSONValue(before), JSONValue(after))
    }
  }
}

extension VCardNames {
  var document: JSONValue {
    .object(["nickname": JSONValue(nickname), "fullName": JSONValue(fullName)])
  }
}
