import XMPPStanza

/// No input crashes; a prepared address is prepared; printing and parsing lose nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJID(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
  guard let jid = try? JID(parsing: text) else { return 0 }
  guard let again = try? JID(parsing: jid.description) else {
    preconditionFailure("a prepared address cannot be parsed: \(jid)")
  }
  precondition(again == jid, "preparing \(jid) gives \(again)")
  precondition(again.description.utf8.elementsEqual(jid.description.utf8), "\(jid): other bytes")
  return 0
}
