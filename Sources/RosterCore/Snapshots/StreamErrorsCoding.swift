import XMPPStanza

extension StreamErrors: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(resource)
    output.write(direction == .inbound)
    output.write(report)
    output.write(UInt64(count))
    output.write(first)
    output.write(last.record)
    output.write(last.time != nil)
    if let time = last.time { output.write(signed: time) }
    output.write(last.isHeld)
    output.write(UInt64(connection.number))
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let resource = try input.readOptionalText()
    let direction: Direction = try input.readFlag() ? .inbound : .outbound
    let report = try input.read(ErrorReport.self)
    guard let count = UInt32(exactly: try input.readNumber()), count > 0 else {
      throw input.invalid
    }
    let first = try input.readNumber()
    let last = RecordStamp(
      record: try input.readNumber(), time: try input.readFlag() ? try input.readSigned() : nil,
      isHeld: try input.readFlag())
    guard let number = UInt32(exactly: try input.readNumber()) else { throw input.invalid }
    self.init(
      resource: resource, direction: direction, report: report, count: Int(count), first: first,
      last: last, connection: ConnectionID(number: number))
  }
}
