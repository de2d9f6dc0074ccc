/// An array whose copies share its elements in chunks.
///
/// Copying it costs nothing. Changing an element of a copy copies its chunk and the list of chunks,
/// however many copies there are. Shared chunks are never written again, so a copy that another
/// thread has kept for hours still reads the same.
struct ChunkedArray<Element: Sendable>: @unchecked Sendable {
  /// The number of elements.
  private(set) var count = 0
  private var chunks: [Chunk] = []
  /// A chunk holds two to this power elements.
  private let bits: Int

  /// An empty array.
  ///
  /// - Parameter bits: The binary logarithm of the chunk size, below 64. Changing an element of a
  ///   shared chunk copies the whole chunk.
  init(chunkBits bits: Int) {
    self.bits = bits
  }

  /// An array of the given elements. Complexity: linear in their number.
  init(_ elements: [Element], chunkBits: Int) {
    self.init(chunkBits: chunkBits)
    chunks.reserveCapacity(elements.count >> chunkBits + 1)
    elements.withUnsafeBufferPointer { elements in
      guard let first = elements.baseAddress else { return }
      for start in stride(from: 0, to: elements.count, by: 1 << chunkBits) {
        let chunk = Chunk.make(repeating: first[start], count: 1 << chunkBits)
        // At most the elements that are left, and at most what the chunk can hold.
        chunk.elements.update(
          from: first + start, count: min(1 << chunkBits, elements.count - start))
        chunks.append(chunk)
      }
    }
    count = elements.count
  }

  /// An array of `count` elements, each of which `fill` initializes in place, in order.
  init<E: Error>(
    repeating element: Element, count: Int, chunkBits: Int,
    _ fill: (inout Element) throws(E) -> Void
  ) throws(E) {
    self.init(chunkBits: chunkBits)
    chunks.reserveCapacity(count >> chunkBits + 1)
    while self.count < count {
      let chunk = Chunk.make(repeating: element, count: 1 << chunkBits)
      let end = min(1 << chunkBits, count - self.count)
      for place in 0..<end { try fill(&chunk.elements[place]) }
      chunks.append(chunk)
      self.count += end
    }
  }

  /// The element at an index below `count`. Complexity: O(1).
  ///
  /// An index past the last chunk traps; an offset in a chunk is always less than the chunk's size.
  subscript(index: Int) -> Element {
    @inline(__always)
    unsafeAddress { UnsafePointer(chunks[chunk(of: index)].elements + place(of: index)) }
    @inline(__always)
    unsafeMutableAddress {
      let chunk = chunk(of: index)
      if !isKnownUniquelyReferenced(&chunks[chunk]) { chunks[chunk] = chunks[chunk].copy() }
      return chunks[chunk].elements + place(of: index)
    }
  }

  // Every access goes through these two functions. `bits` is below 64, so the shifts need no check.

  /// The index of the chunk that contains an element.
  @inline(__always)
  private func chunk(of index: Int) -> Int { index &>> bits }

  /// The offset of an element in its chunk.
  @inline(__always)
  private func place(of index: Int) -> Int { index & (1 &<< bits &- 1) }

  /// Passes an element to `body` in place, so that its unused parts are not copied.
  @inline(__always)
  func withElement<Result>(
    at index: Int, _ body: (borrowing Element) -> Result
  ) -> Result {
    let chunk = chunks[chunk(of: index)]
    // Keeps the chunk alive during the call.
    return withExtendedLifetime(chunk) {
      body((chunk.elements + place(of: index)).pointee)
    }
  }

  /// Adds an element. Complexity: O(1) amortized.
  mutating func append(_ element: Element) {
    let index = count
    count += 1
    if chunk(of: index) == chunks.count {
      // Initializes the whole chunk; the elements after the end are never read.
      chunks.append(Chunk.make(repeating: element, count: 1 << bits))
    } else {
      self[index] = element
    }
  }

  /// A fixed number of elements in the same allocation as their header, which saves one indirection
  /// per access. Written to only while uniquely referenced.
  private final class Chunk: ManagedBuffer<Int, Element> {
    static func make(repeating element: Element, count: Int) -> Chunk {
      make(count) { $0.initialize(repeating: element, count: count) }
    }

    func copy() -> Chunk {
      Self.make(header) { $0.initialize(from: elements, count: header) }
    }

    private static func make(
      _ count: Int, _ initialize: (UnsafeMutablePointer<Element>) -> Void
    ) -> Chunk {
      let chunk = unsafeDowncast(
        create(minimumCapacity: count) { _ in count }, to: Chunk.self)
      initialize(chunk.elements)
      return chunk
    }

    @inline(__always)
    var elements: UnsafeMutablePointer<Element> { withUnsafeMutablePointerToElements { $0 } }

    deinit {
      elements.deinitialize(count: header)
    }
  }
}
