/// A line of a file, without its end.
struct NumberedLine {
  /// Counted from 1.
  let number: Int
  let bytes: ArraySlice<UInt8>
  /// When what carried the line says that it was written, in milliseconds since 1970.
  var time: Int64?
}
