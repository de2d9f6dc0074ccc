import RawBytes

/// The messages without ids by what they say: those that a copy may be of (rule 10e).
///
/// A copy takes the oldest of them. What decides whether one can be taken is the same for all
/// messages of a group, so that many equal texts cost no more than a few.
///
/// What no archive has shown waits without a limit, because rule 10e lets an archive show it at any
/// time. What an archive has shown takes no more copies by that rule; it waits only for what a
/// server delivers late without the archive's id, which are its newest messages. So the last ones
/// are kept.
struct TextsWithoutIDs: Sendable {
  /// What a copy has in common with its message.
  struct Key: Hashable, Sendable {
    var conversation: Int
    var text: ExactText
    var isOurs: Bool
    /// The nick of the sender in a room.
    var nick: ExactText?
    /// The second at which an archive has the message; nil if none has shown it yet.
    var second: Int64?
  }

  /// Messages that arrived in the same ways.
  struct Group: Sendable {
    /// The streams on which they arrived live, or on which we wrote them.
    let streams: [StreamID]
    /// The lists that they were items of.
    let lists: [MessageList]
    /// Whether their first arrival was an inherent copy.
    let isCopy: Bool
    /// Their numbers in ascending order, from `first` on.
    fileprivate(set) var numbers: [Int] = []
    fileprivate var first = 0

    var waiting: ArraySlice<Int> { numbers[first...] }

    fileprivate mutating func insert(_ number: Int) {
      let index = waiting.firstIndex(atLeast: number)
      guard index == numbers.count || numbers[index] != number else { return }
      numbers.insert(number, at: index)
    }

    fileprivate mutating func remove(_ number: Int) {
      let index = waiting.firstIndex(atLeast: number)
      guard index < numbers.count, numbers[index] == number else { return }
      guard index == first else {
        numbers.remove(at: index)
        return
      }
      first += 1
      // Each number is moved once for each that was taken before it.
      guard first > numbers.count / 2 else { return }
      numbers.removeFirst(first)
      first = 0
    }
  }

  private var groups: [Key: [Group]] = [:]
  /// The messages that an archive has shown, and their groups.
  private var archived = RecentEntries<Int, Place>(limit: archivedLimit)
  static let archivedLimit = 4096

  /// The group of a message.
  private struct Place: Sendable {
    var key: Key
    var streams: [StreamID]
    var lists: [MessageList]
    var isCopy: Bool
  }

  /// The number of messages that wait. Complexity: linear in the groups.
  var count: Int {
    groups.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.waiting.count } }
  }

  /// The groups of messages that say something, at most one for each set of streams and lists.
  func groups(_ key: Key) -> [Group] { groups[key] ?? [] }

  /// Adds a message. Complexity: logarithmic in the messages of its group, if it is the newest.
  mutating func insert(
    _ number: Int, _ key: Key, streams: [StreamID], lists: [MessageList], isCopy: Bool
  ) {
    if key.second != nil {
      let place = Place(key: key, streams: streams, lists: lists, isCopy: isCopy)
      if let (oldest, place) = archived.update(number, place) { remove(oldest, from: place) }
    }
    var found = groups[key] ?? []
    groups[key] = nil
    if let index = found.firstIndex(where: {
      $0.streams == streams && $0.lists == lists && $0.isCopy == isCopy
    }) {
      found[index].insert(number)
    } else {
      var group = Group(streams: streams, lists: lists, isCopy: isCopy)
      group.insert(number)
      found.append(group)
    }
    groups[key] = found
  }

  /// Removes a message, if it is there. Complexity: logarithmic in the messages of its group, if it
  /// is the oldest.
  mutating func remove(
    _ number: Int, _ key: Key, streams: [StreamID], lists: [MessageList], isCopy: Bool
  ) {
    archived.remove(number)
    remove(number, from: Place(key: key, streams: streams, lists: lists, isCopy: isCopy))
  }

  private mutating func remove(_ number: Int, from place: Place) {
    guard var found = groups[place.key],
      let index = found.firstIndex(where: {
        $0.streams == place.streams && $0.lists == place.lists && $0.isCopy == place.isCopy
      })
    else { return }
    groups[place.key] = nil
    found[index].remove(number)
    if found[index].waiting.isEmpty { found.remove(at: index) }
    if !found.isEmpty { groups[place.key] = found }
  }
}

extension ArraySlice<Int> {
  /// The index of the first number of an ascending list that is not below another one.
  func firstIndex(atLeast number: Int) -> Int {
    // New messages have the highest numbers, and the oldest are taken first.
    guard let last, last >= number else { return endIndex }
    guard let first, first < number else { return startIndex }
    return partitioningIndex { $0 >= number }
  }
}
