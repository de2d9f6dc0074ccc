import XMPPStanza

/// The first byte of a delivery's content. Numbers are never used again.
private enum DeliveryTag: UInt8 {
  case push = 0
  case subscription = 1
  case presence = 2
}

// The deliveries that some connections have yet to receive.
extension DetailsOutput {
  mutating func write(_ deliveries: [Delivery]) {
    plain.write(UInt64(deliveries.count))
    for delivery in deliveries {
      write(record: delivery.record)
      plain.write(delivery.waiting.rawValue)
      plain.write(delivery.content)
    }
  }
}

extension DetailsInput {
  mutating func readDeliveries() throws(CodecError) -> [Delivery] {
    var deliveries: [Delivery] = []
    for _ in 0..<(try plain.readCount()) {
      let record = try readRecord()
      let waiting = SessionSet(rawValue: try plain.readNumber())
      guard !waiting.isEmpty else { throw plain.invalid }
      deliveries.append(Delivery(content: try plain.read(), record: record, waiting: waiting))
    }
    guard !deliveries.isEmpty else { throw plain.invalid }
    return deliveries
  }
}

extension Delivery.Content: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    switch self {
    case .push(let item, let before, let version):
      output.write(tag: DeliveryTag.push.rawValue)
      output.write(item)
      output.write(before)
      output.write(version)
    case .subscription(let stanza):
      output.write(tag: DeliveryTag.subscription.rawValue)
      output.write(stanza)
    case .presence(let resource, let availability):
      output.write(tag: DeliveryTag.presence.rawValue)
      output.write(resource)
      output.write(availability)
    }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    switch DeliveryTag(rawValue: try input.readTag()) {
    case .push:
      self = .push(
        try input.readOptional(), before: try input.readOptional(),
        version: try input.readOptionalText())
    case .subscription: self = .subscription(try input.read())
    case .presence:
      self = .presence(resource: try input.readText(), try input.readOptional())
    case nil: throw input.invalid
    }
  }
}
