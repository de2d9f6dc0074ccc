/// A service record (RFC 2782): a server, with its priority and weight.
package struct ServiceRecord: Hashable, Sendable {
  /// The lowest is tried first.
  package var priority: UInt16
  /// Its share among the records of one priority.
  package var weight: UInt16
  package var port: UInt16
  /// The name of the host; empty if the service is not offered.
  package var target: String

  package init(priority: UInt16, weight: UInt16, port: UInt16, target: String) {
    self.priority = priority
    self.weight = weight
    self.port = port
    self.target = target
  }
}

/// Why a DNS answer cannot be read, as a clause.
package enum DNSProblem: String, Error {
  case short = "it is cut short"
  case question = "it is a question"
  case refused = "the name server could not answer"
  case label = "a label is of an unknown kind"
  case pointer = "a name leads back to itself"
  case long = "a name is too long"
  case record = "a record is longer or shorter than what is in it"
  case host = "a server has a name that no host can have"
}

/// Reads the answers of DNS servers (RFC 1035 §4.1).
package enum DNSAnswer {
  static let serviceType: UInt16 = 33
  private static let internet: UInt16 = 1

  /// The service records of an answer, in its order; empty if the name does not exist. Other
  /// records, such as aliases, are left out.
  package static func services(in bytes: [UInt8]) throws(DNSProblem) -> [ServiceRecord] {
    var reader = DNSReader(bytes)
    try reader.skip(2)
    let flags = try reader.number()
    guard flags & 0x8000 != 0 else { throw .question }
    let questions = try reader.number()
    let answers = try reader.number()
    try reader.skip(4)
    switch flags & 0xF {
    case 0: break
    case 3: return []
    default: throw .refused
    }
    for _ in 0..<questions {
      _ = try reader.name()
      try reader.skip(4)
    }
    var services: [ServiceRecord] = []
    for _ in 0..<answers {
      if let service = try record(&reader) { services.append(service) }
    }
    return services
  }

  private static func record(_ reader: inout DNSReader) throws(DNSProblem) -> ServiceRecord? {
    _ = try reader.name()
    let type = try reader.number()
    let kind = try reader.number()
    try reader.skip(4)
    let length = Int(try reader.number())
    guard type == serviceType, kind == internet else {
      try reader.skip(length)
      return nil
    }
    let end = reader.position + length
    let service = ServiceRecord(
      priority: try reader.number(), weight: try reader.number(), port: try reader.number(),
      target: try host(reader.name()))
    guard reader.position == end else { throw .record }
    return service
  }

  private static func host(_ labels: [ArraySlice<UInt8>]) throws(DNSProblem) -> String {
    // A dot or a zero in a label would make it a different name.
    let name = labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    guard labels.isEmpty || (name.isHostName && !labels.contains { $0.contains(0x2E) }) else {
      throw .host
    }
    return name
  }
}

/// Reads the bytes of an answer, never past their end.
struct DNSReader {
  private let bytes: [UInt8]
  private(set) var position = 0
  private static let nameByteLimit = 255
  private static let pointerLimit = 127

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a number of two bytes.
  mutating func number() throws(DNSProblem) -> UInt16 {
    let start = position
    try skip(2)
    return UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1])
  }

  mutating func skip(_ count: Int) throws(DNSProblem) {
    guard count <= bytes.count - position else { throw .short }
    position += count
  }

  /// Reads the labels of a name, none for the root (RFC 1035 §4.1.4).
  mutating func name() throws(DNSProblem) -> [ArraySlice<UInt8>] {
    var labels: [ArraySlice<UInt8>] = []
    var room = Self.nameByteLimit
    /// Where this part of the name began. A pointer has to lead to something before it, so that the
    /// pointers come to an end.
    var partStart = position
    var afterPointer: Int?
    for _ in 0...Self.pointerLimit {
      while let label = try label() {
        room -= label.count + 1
        guard room > 0 else { throw .long }
        labels.append(label)
      }
      guard let target = try pointer() else {
        position = afterPointer ?? position
        return labels
      }
      guard target < partStart else { throw .pointer }
      afterPointer = afterPointer ?? position
      (position, partStart) = (target, target)
    }
    throw .pointer
  }

  /// Reads the next label; nil if the name ends or continues elsewhere.
  private mutating func label() throws(DNSProblem) -> ArraySlice<UInt8>? {
    guard position < bytes.count else { throw .short }
    let count = bytes[position]
    switch count >> 6 {
    case 0 where count > 0:
      try skip(1)
      let start = position
      try skip(Int(count))
      return bytes[start..<position]
    case 0, 3: return nil
    default: throw .label
    }
  }

  /// Reads where the name continues; nil at its end.
  private mutating func pointer() throws(DNSProblem) -> Int? {
    guard position < bytes.count else { throw .short }
    if bytes[position] == 0 {
      try skip(1)
      return nil
    }
    return Int(try number() & 0x3FFF)
  }
}
