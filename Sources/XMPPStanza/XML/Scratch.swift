/// Memory that is filled from its beginning again and again, without an array's checks, which
/// cost more than what is put in here.
struct Scratch<Element: BitwiseCopyable>: ~Copyable {
  /// How many elements there are, which is at most `capacity`.
  private(set) var count = 0
  private var capacity = 64
  private var memory: UnsafeMutablePointer<Element>

  init() {
    memory = .allocate(capacity: capacity)
  }

  deinit {
    memory.deallocate()
  }

  /// What there is.
  var elements: Span<Element> {
    @_lifetime(borrow self)
    get {
      // So many were put there, and only `self` changes them.
      _overrideLifetime(Span(_unsafeStart: memory, count: count), borrowing: self)
    }
  }

  /// An element that there is.
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
      // There is room for them after the others.
      if let start = more.baseAddress { end.initialize(from: start, count: more.count) }
    }
    count += more.count
  }

  /// Is empty again; what was uncommonly large does not stay so.
  mutating func clear() {
    count = 0
    if capacity > 1 << 16 { resize(to: 1 << 10) }
  }

  /// Moves what there is to other memory, in which there is room for it.
  private mutating func resize(to capacity: Int) {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    larger.initialize(from: memory, count: count)
    memory.deallocate()
    memory = larger
    self.capacity = capacity
  }
}
