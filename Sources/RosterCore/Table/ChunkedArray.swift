/// Elements by dense number, in chunks that copies of the array share.
///
/// To copy it costs nothing, and to change an element of a copy costs its chunk and the list of
/// chunks, however often it was copied. What copies share is never written again, so that one that
/// was kept for hours on another thread still reads the same.
struct ChunkedArray<Element: Sendable>: @unchecked Sendable {
  /// How many elements there are.
  private(set) var count = 0
  private var chunks: [Chunk] = []
  /// Two to this power is the number of elements of a chunk.
  private let bits: Int

  /// An array of nothing.
  ///
  /// - Parameter bits: Two to this power of elements are copied where one of them is changed;
  ///   it is below 64.
  init(chunkBits bits: Int) {
    self.bits = bits
  }

  /// An array of these elements. Complexity: linear in them.
  init(_ elements: [Element], chunkBits: Int) {
    self.init(chunkBits: chunkBits)
    chunks.reserveCapacity(elements.count >> chunkBits + 1)
    elements.withUnsafeBufferPointer { elements in
      guard let first = elements.baseAddress else { return }
      for start in stride(from: 0, to: elements.count, by: 1 << chunkBits) {
        let chunk = Chunk.make(repeating: first[start], count: 1 << chunkBits)
        // No more than there are, and than the chunk has places for.
        chunk.elements.update(
          from: first + start, count: min(1 << chunkBits, elements.count - start))
        chunks.append(chunk)
      }
    }
    count = elements.count
  }

  /// An array of so many elements, each of which `fill` is given to be changed where it stands, in
  /// their order.
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

  /// An element of those that there are. Complexity: O(1).
  ///
  /// A chunk that is not there is found out, and a place in one is less than the number of its
  /// elements.
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

  // Each element is got by these: `bits` is known to be below 64, so that the shifts need not look
  // at it.

  /// Which chunk an element is in.
  @inline(__always)
  private func chunk(of index: Int) -> Int { index &>> bits }

  /// Where in its chunk an element is.
  @inline(__always)
  private func place(of index: Int) -> Int { index & (1 &<< bits &- 1) }

  /// Hands an element to `body` where it stands, so that what is not looked at is not copied.
  @inline(__always)
  func withElement<Result>(
    at index: Int, _ body: (borrowing Element) -> Result
  ) -> Result {
    let chunk = chunks[chunk(of: index)]
    // The chunk is held meanwhile.
    return withExtendedLifetime(chunk) {
      body((chunk.elements + place(of: index)).pointee)
    }
  }

  /// Adds an element. Complexity: O(1) amortised.
  mutating func append(_ element: Element) {
    let index = count
    count += 1
    if chunk(of: index) == chunks.count {
      // All places of a chunk hold something; those after the end are never read.
      chunks.append(Chunk.make(repeating: element, count: 1 << bits))
    } else {
      self[index] = element
    }
  }

  /// A fixed number of elements, behind its head in one piece of memory: to get to an element takes
  /// one look less. It is written to only by who alone refers to it.
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
