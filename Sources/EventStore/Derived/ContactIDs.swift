#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The ids of contacts by the bytes of their names, which is how the file compares them. (`String`
/// compares by canonical equivalence, under which two different keys could be one.)
///
/// A table with open addressing, whose names lie one after the other: to look one up is to look
/// at two places in memory, and counts no references.
struct ContactIDs {
  private struct Slot {
    var hash: UInt32
    var id: UInt32
    var start: UInt32
    /// Of bytes; 0 in a slot that is free, because no contact's name is empty.
    var count: UInt32

    static let free = Slot(hash: 0, id: 0, start: 0, count: 0)
  }

  private static let most = 100_000
  private static let mostBytes = 16 << 20

  /// A power of two, and at least twice as many as there are names: every search ends.
  private var slots = [Slot](repeating: .free, count: 256)
  private var names: [UInt8] = []
  private var count = 0

  /// Whether there are so many that all should be forgotten: they then take some 20 MB.
  var isFull: Bool { count >= Self.most || names.count >= Self.mostBytes }

  /// The id of a contact; nil where none was added.
  subscript(contact: String) -> UInt32? {
    var contact = contact
    return contact.withUTF8 { name in
      let slot = slots[place(of: name, Self.hash(name))]
      return slot.count > 0 ? slot.id : nil
    }
  }

  /// Adds the id of a contact that has none here, and whose name is not empty.
  mutating func add(_ id: UInt32, of contact: String) {
    if 2 * (count + 1) > slots.count { grow() }
    var contact = contact
    contact.withUTF8 { name in
      let hash = Self.hash(name)
      slots[place(of: name, hash)] = Slot(
        hash: hash, id: id, start: UInt32(names.count), count: UInt32(name.count))
      names += name
    }
    count += 1
  }

  mutating func removeAll() {
    if count == 0 { return }
    for place in slots.indices { slots[place] = .free }
    names.removeAll(keepingCapacity: true)
    count = 0
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: .free, count: 2 * old.count)
    for slot in old where slot.count > 0 {
      var place = Int(slot.hash) & (slots.count - 1)
      while slots[place].count > 0 { place = (place + 1) & (slots.count - 1) }
      slots[place] = slot
    }
  }

  /// Where a name is, or the free slot where it belongs.
  private func place(of name: UnsafeBufferPointer<UInt8>, _ hash: UInt32) -> Int {
    var place = Int(hash) & (slots.count - 1)
    while slots[place].count > 0, !holds(slots[place], name, hash) {
      place = (place + 1) & (slots.count - 1)
    }
    return place
  }

  private func holds(
    _ slot: Slot, _ name: UnsafeBufferPointer<UInt8>, _ hash: UInt32
  ) -> Bool {
    guard slot.hash == hash, Int(slot.count) == name.count, let given = name.baseAddress else {
      return false
    }
    return names.withUnsafeBufferPointer { names in
      // `add` has put as many bytes there as the slot says.
      guard let own = names.baseAddress else { return false }
      return memcmp(own + Int(slot.start), given, name.count) == 0
    }
  }

  /// With the process's own seed: names come from strangers.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(name))
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}
