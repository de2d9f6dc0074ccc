/// Elements by dense number, in chunks that copies of the array share.
///
/// To copy it costs nothing, and to change an element of a copy costs one chunk and the way to it,
/// however many elements there are. What copies share is never written again, so that one that was
/// kept for hours on another thread still reads the same.
struct ChunkedArray<Element: Sendable>: Sendable {
  /// How many elements there are.
  private(set) var count = 0
  /// The way to an element: its group, in it the chunk, in it the element.
  private var groups: [[ContiguousArray<Element>]] = []
  /// Two to this power is the number of elements of a chunk.
  private let bits: Int

  /// Two to this power is the number of chunks of a group.
  private static var groupBits: Int { 5 }

  /// An array of nothing.
  ///
  /// - Parameter bits: Two to this power of elements are copied where one of them is changed.
  init(chunkBits bits: Int) {
    self.bits = bits
  }

  /// An array of so many chunks that holds the same element everywhere.
  init(repeating element: Element, chunks: Int, chunkBits: Int) {
    self.init(chunkBits: chunkBits)
    // All chunks are one until they are written to.
    let chunk = ContiguousArray(repeating: element, count: 1 << chunkBits)
    for first in stride(from: 0, to: chunks, by: 1 << Self.groupBits) {
      groups.append(Array(repeating: chunk, count: min(1 << Self.groupBits, chunks - first)))
    }
    count = chunks << chunkBits
  }

  /// An element of those that there are. Complexity: O(1).
  subscript(index: Int) -> Element {
    @inline(__always)
    get { groups[index >> (bits + Self.groupBits)][chunk(of: index)][place(of: index)] }
    @inline(__always)
    _modify {
      yield &groups[index >> (bits + Self.groupBits)][chunk(of: index)][place(of: index)]
    }
  }

  /// Adds an element. Complexity: O(1) amortised.
  mutating func append(_ element: Element) {
    let group = count >> (bits + Self.groupBits)
    if group == groups.count { groups.append([]) }
    if chunk(of: count) == groups[group].count {
      var chunk: ContiguousArray<Element> = []
      chunk.reserveCapacity(1 << bits)
      groups[group].append(chunk)
    }
    groups[group][chunk(of: count)].append(element)
    count += 1
  }

  @inline(__always)
  private func chunk(of index: Int) -> Int { index >> bits & (1 << Self.groupBits - 1) }

  @inline(__always)
  private func place(of index: Int) -> Int { index & (1 << bits - 1) }
}
