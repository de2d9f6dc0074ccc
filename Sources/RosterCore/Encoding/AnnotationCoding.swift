import XMPPStanza

// The stored form of what the user says; a part of the events.
extension RosterAnnotation: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    switch self {
    case .starred(let jid, let isStarred):
      output.write(tag: 0)
      output.write(jid)
      output.write(isStarred)
    case .reading(let jid, let text):
      output.write(tag: 1)
      output.write(jid)
      output.write(text)
    case .note(let jid, let text):
      output.write(tag: 2)
      output.write(jid)
      output.write(text)
    case .requestsSeen(let jids):
      output.write(tag: 3)
      output.write(jids)
    }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    switch try input.readTag() {
    case 0: self = .starred(try input.read(), try input.readFlag())
    case 1: self = .reading(try input.read(), try input.readOptionalText())
    case 2: self = .note(try input.read(), try input.readOptionalText())
    case 3: self = .requestsSeen(try input.readArray())
    default: throw input.invalid
    }
  }
}
