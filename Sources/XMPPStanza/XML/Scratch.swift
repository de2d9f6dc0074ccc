/// Memory that is filled from the beginning again and again, without the checks of an array, which
/// cost more than the work on the elements.
struct Scratch<Element: BitwiseCopyable>: ~Copyable {
  /// The number of elements, at most `capacity`.
  private(set) var count = 0
  private var capacity = 64
  private var memory: UnsafeMutablePointer<Element>

  init() {
    memory = .allocate(capacity: capacity)
  }

  deinit {
    memory.deallocate()
  }

  /// The elements.
  var elements: Span<Element> {
    @_lifetime(borrow self)
    get {
      // `count` elements are initialized, and only `self` changes them.
      _overrideLifetime(Span(_unsafeStart: memory, count: count), borrowing: self)
    }
  }

  /// The element at an index, which must be less than `count`.
  subscript(index: Int) -> Element {
    get { memory[index] }
    set { memory[index] = newValue }
  }

  mutating func append(_ element: Element) {
    if count == capacity { resize(to: 2 * capacity) }
    (memory + count).initialize(to: element)
    count += 1
  }

  mutating func append(contentsOf more: Span<Element>) {
    if more.count > capacity - count { resize(to: max(2 * capacity, count + more.count)) }
    let end = memory + count
    more.withUnsafeBufferPointer { more in
      // There is room for them after the existing elements.
      if let start = more.baseAddress { end.initialize(from: start, count: more.count) }
    }
    count += more.count
  }

  /// Removes all elements, and gives back an unusually large allocation.
  mutating func clear() {
    count = 0
    if capacity > 1 << 16 { resize(to: 1 << 10) }
  }

  /// Moves the elements to new memory, which must have room for them.
  private mutating func resize(to capacity: Int) {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    larger.initialize(from: memory, count: count)
    memory.deallocate()
    memory = larger
    self.capacity = capacity
  }
}
