import CShims
import Rollcall

/// The output of `rollcall --version`.
package enum ProgramVersion {
  /// The version, with the commit if the build recorded it.
  package static var text: String {
    let commit = String(cString: rollcall_commit())
    return "rollcall \(RollcallVersion.current)" + (commit.isEmpty ? "" : " (\(commit))")
  }
}
