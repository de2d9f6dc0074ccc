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
  /// - Parameter bits: Two to this power of elements are copied where one of them is changed.
  init(chunkBits bits: Int) {
    self.bits = bits
  }

  /// An array of so many chunks that holds the same element everywhere.
  init(repeating element: Element, chunks: Int, chunkBits: Int) {
    self.init(chunkBits: chunkBits)
    // They are one until they are written to.
    let chunk = Chunk.make(repeating: element, count: 1 << chunkBits)
    self.chunks = Array(repeating: chunk, count: chunks)
    count = chunks << chunkBits
  }

  /// An array of so many elements, each of which `make` makes.
  init<E: Error>(chunkBits: Int, count: Int, _ make: () throws(E) -> Element) throws(E) {
    self.init(chunkBits: chunkBits)
    chunks.reserveCapacity(count >> chunkBits + 1)
    while self.count < count {
      let chunk = Chunk.make(repeating: try make(), count: 1 << chunkBits)
      let end = min(1 << chunkBits, count - self.count)
      for place in 1..<max(1, end) { chunk.elements[place] = try make() }
      chunks.append(chunk)
      self.count += end
    }
  }

  /// An element of those that there are. Complexity: O(1).
  subscript(index: Int) -> Element {
    @inline(__always)
    unsafeAddress { UnsafePointer(chunks[index >> bits].elements + (index & (1 << bits - 1))) }
    @inline(__always)
    unsafeMutableAddress {
      if !isKnownUniquelyReferenced(&chunks[index >> bits]) {
        chunks[index >> bits] = chunks[index >> bits].copy()
      }
      return chunks[index >> bits].elements + (index & (1 << bits - 1))
    }
  }

  /// Hands an element to `body` where it stands, so that what is not looked at is not copied.
  @inline(__always)
  func withElement<Result>(
    at index: Int, _ body: (UnsafePointer<Element>) -> Result
  ) -> Result {
    let chunk = chunks[index >> bits]
    // The chunk is held meanwhile.
    return withExtendedLifetime(chunk) {
      body(UnsafePointer(chunk.elements + (index & (1 << bits - 1))))
    }
  }

  /// Adds an element. Complexity: O(1) amortised.
  mutating func append(_ element: Element) {
    let index = count
    count += 1
    if index >> bits == chunks.count {
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
