import Captures
import XMPPStream

private func outputs(
  _ bytes: ArraySlice<UInt8>, _ format: CaptureFormat, piece: Int
) -> [CaptureOutput] {
  var reader = CaptureReader(
    format: format,
    options: ReaderOptions(
      year: 2026, carrier: Carrier(Array(bytes)),
      limits: .init(
        depth: 8, attributesPerElement: 8, elementsPerStanza: 32, bytesPerElement: 1024)))
  var outputs: [CaptureOutput] = []
  do {
    var rest = bytes
    while !rest.isEmpty {
      try reader.read(Array(rest.prefix(piece))) { outputs.append($0) }
      rest = rest.dropFirst(piece)
    }
    try reader.finish { outputs.append($0) }
  } catch {}
  return outputs
}

/// No input crashes any reader, detection or filter; every cut gives the same outputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCaptures(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  let format = CaptureFormat.all[Int(input[0]) % CaptureFormat.all.count]
  let bytes = input[2...]
  _ = CaptureFormat.detect(Array(bytes))
  let whole = outputs(bytes, format, piece: bytes.count)
  precondition(whole == outputs(bytes, format, piece: Int(input[1]) + 1), "a cut matters")
  var filter = AccountFilter(account: nil)
  var passed = 0
  var records = 0
  for case .record(let record) in whole {
    records += 1
    filter.take(record) { _ in passed += 1 }
  }
  filter.finish { _ in passed += 1 }
  // A header may say whose they are.
  precondition(passed <= records + 1, "the filter invents records")
  return 0
}
