import XMPPStanza
import XMPPStream

/// What a parser made of the input.
private struct Outcome: Equatable {
  var events: [StreamEvent] = []
  var isSound = false
}

private func parse(_ bytes: ArraySlice<UInt8>, _ root: StreamRoot, piece: Int) -> Outcome {
  let limits = StreamLimits(
    depth: 8, attributesPerElement: 8, elementsPerStanza: 32, bytesPerElement: 1024)
  let parser = StreamParser(root: root, limits: limits)
  var outcome = Outcome()
  do {
    var rest = bytes
    while !rest.isEmpty {
      try parser.feed(rest.prefix(piece)) { outcome.events.append($0) }
      rest = rest.dropFirst(piece)
    }
    try parser.finish()
    outcome.isSound = true
  } catch {}
  return outcome
}

/// No input crashes; every cut gives the same events; every element stands by itself.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStream(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  let root: StreamRoot = input[0] & 1 == 0 ? .records : .wire
  let bytes = input[1...]
  let whole = parse(bytes, root, piece: bytes.count)
  let cut = parse(bytes, root, piece: Int(input[0] >> 1) % 37 + 1)
  precondition(whole == cut, "cut in pieces the input gives something else")
  for event in whole.events {
    guard case .element(let element) = event else { continue }
    for record in [element.bytes, element.node.serialized()] {
      var found: [XMPPElement] = []
      let parser = StreamParser(root: .records, limits: .capture)
      do {
        try parser.feed(record) { event in
          guard case .element(let again) = event else { return }
          found.append(again.node)
        }
        try parser.finish()
      } catch {
        preconditionFailure("an element does not stand by itself: \(error)")
      }
      precondition(found == [element.node], "an element by itself is another")
    }
  }
  return 0
}
