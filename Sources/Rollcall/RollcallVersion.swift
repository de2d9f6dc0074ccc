/// The version of Rollcall.
public enum RollcallVersion {
  /// The version of this library and of the program `rollcall` (semver.org).
  public static let current = "0.2.0"
}
