import Captures
import EventStore
import RosterCore
import XMPPStanza

/// A record of the shard itself: with these, everything else in a shard follows from its records.
enum ShardRecord: Hashable, Sendable {
  /// The record's connection belongs to this account; comes before its first record.
  case connection(of: BareJID, source: SourceNumber, name: String)
  /// Up to where the shard has a source; ends every transaction that has records.
  case position(source: String, PositionRow)

  static let connectionKind = RecordKind(rawValue: 32)
  static let positionKind = RecordKind(rawValue: 33)

  /// Whether a record is of the shard itself and not of an account.
  static func isOwn(_ kind: RecordKind) -> Bool { kind == connectionKind || kind == positionKind }

  func add(to arena: inout RecordArena, on connection: UInt32 = FleetShard.ownConnection) {
    let (kind, bytes) =
      switch self {
      case .connection: (Self.connectionKind, canonicalBytes)
      case .position: (Self.positionKind, canonicalBytes)
      }
    arena.add(
      time: nil, direction: .none, kind: kind, connection: connection, bytes: bytes.span.bytes)
  }
}

extension ShardRecord: CanonicalCodable {
  func encode(to output: inout CanonicalOutput) {
    switch self {
    case .connection(let account, let source, let name):
      output.write(tag: 1)
      output.write(account)
      output.write(UInt64(source))
      output.write(name)
    case .position(let source, let row):
      output.write(tag: 2)
      output.write(source)
      output.write(row)
    }
  }

  init(from input: inout CanonicalInput) throws(CodecError) {
    switch try input.readTag() {
    case 1:
      self = .connection(
        of: try input.read(BareJID.self), source: try input.readShortNumber(),
        name: try input.readText())
    case 2: self = .position(source: try input.readText(), try input.read(PositionRow.self))
    default: throw input.invalid
    }
  }
}
