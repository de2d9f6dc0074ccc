extension RandomAccessCollection {
  /// The first index whose element fulfills a condition, in a collection in which every element
  /// after one that does also does; the end index if none does. The name is Swift Algorithms'.
  ///
  /// Complexity: O(log n) calls of `belongsInSecondPartition`.
  @inlinable package func partitioningIndex(
    where belongsInSecondPartition: (Element) -> Bool
  ) -> Index {
    var start = startIndex
    var length = count
    while length > 0 {
      let half = length / 2
      let middle = index(start, offsetBy: half)
      if belongsInSecondPartition(self[middle]) {
        length = half
      } else {
        start = index(after: middle)
        length -= half + 1
      }
    }
    return start
  }
}
