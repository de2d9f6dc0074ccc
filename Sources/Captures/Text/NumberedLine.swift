/// A line of a file, without its end.
struct NumberedLine {
  /// Counted from 1.
  let number: Int
  let bytes: ArraySlice<UInt8>
}
