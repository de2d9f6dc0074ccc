/// A line of a file, without its end.
struct NumberedLine {
  /// Counted from 1.
  let number: Int
  let bytes: ArraySlice<UInt8>
  /// The time that the carrier of the line says it was written at, in milliseconds since 1970.
  var time: Int64?
}
