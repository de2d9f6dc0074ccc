import RawBytes
import XMPPStanza

extension EditableFields: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(name)
    output.write(groups: groups)
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    self.init(name: try input.readItemName(), groups: try input.readGroups())
  }
}

// A confirmed edit is kept as long as its contact, and most edits change one of two fields, so the
// other field is not written twice.
extension DetailsOutput {
  mutating func write(_ edit: ConfirmedEdit) {
    write(record: edit.sent)
    plain.write(edit.device)
    plain.write(edit.before)
    let unchanged = UnchangedFields(of: edit)
    plain.write(tag: unchanged.rawValue)
    guard let after = edit.after else { return }
    if !unchanged.contains(.name) { plain.write(after.name) }
    if !unchanged.contains(.groups) { plain.write(groups: after.groups) }
  }
}

extension DetailsInput {
  mutating func readConfirmedEdit() throws(CodecError) -> ConfirmedEdit {
    var edit = ConfirmedEdit(sent: try readRecord(), device: try plain.readOptionalText())
    // Equal fields have equal bytes, which are available even if texts are not kept.
    var storedName: RawSpan?
    var storedGroups: RawSpan?
    if try plain.readFlag() {
      var before = EditableFields(name: nil, groups: [])
      storedName = try plain.readBytes { (input) throws(CodecError) in
        before.name = try input.readItemName()
      }
      storedGroups = try plain.readBytes { (input) throws(CodecError) in
        before.groups = try input.readGroups()
      }
      edit.before = before
    }
    let unchanged = UnchangedFields(rawValue: try plain.readTag())
    guard unchanged != .removal else { return edit }
    guard unchanged.isSubset(of: edit.before == nil ? [] : [.name, .groups]) else {
      throw plain.invalid
    }
    edit.after = EditableFields(name: edit.before?.name, groups: edit.before?.groups ?? [])
    if !unchanged.contains(.name) {
      try plain.readOther(than: storedName) { (input) throws(CodecError) in
        edit.after?.name = try input.readItemName()
      }
    }
    if !unchanged.contains(.groups) {
      try plain.readOther(than: storedGroups) { (input) throws(CodecError) in
        edit.after?.groups = try input.readGroups()
      }
    }
    return edit
  }
}

/// The fields that an edit leaves unchanged, or a mark for a removal.
private struct UnchangedFields: OptionSet {
  let rawValue: UInt8

  static let name = Self(rawValue: 1)
  static let groups = Self(rawValue: 2)
  /// The edit is a removal; no other bit is set.
  static let removal = Self(rawValue: 4)

  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  init(of edit: ConfirmedEdit) {
    self = edit.after == nil ? .removal : []
    guard let before = edit.before, let after = edit.after else { return }
    if before.name.hasSameBytes(as: after.name) { insert(.name) }
    if before.groups.hasSameBytes(as: after.groups) { insert(.groups) }
  }
}

extension CanonicalOutput {
  fileprivate mutating func write(groups: [String]) {
    write(UInt64(groups.count))
    for group in groups { write(group) }
  }
}

extension CanonicalInput {
  /// Reads the name of an item, which is never empty.
  fileprivate mutating func readItemName() throws(CodecError) -> String? {
    let name = try readOptionalTextBytes()
    guard name?.isEmpty != true else { throw invalid }
    return .init(decoding: name)
  }

  /// Reads the groups of an item, which are sorted.
  fileprivate mutating func readGroups() throws(CodecError) -> [String] {
    var groups: [String] = []
    var last: RawSpan?
    for _ in 0..<(try readCount()) {
      let group = try readTextBytes()
      if let last, !last.precedes(group) { throw invalid }
      last = group
      groups.append(String(decoding: group))
    }
    return groups
  }

  /// Reads a value that must differ from the previous one, because an equal one is not written.
  fileprivate mutating func readOther(
    than before: RawSpan?, _ read: (inout CanonicalInput) throws(CodecError) -> Void
  ) throws(CodecError) {
    let bytes = try readBytes(read)
    if let before, before.isSame(as: bytes) { throw invalid }
  }
}
