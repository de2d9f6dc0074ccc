import CCommit
import Rollcall

/// What `rollcall --version` says.
package enum ProgramVersion {
  /// The version, with the commit where the build was told it.
  package static var text: String {
    let commit = String(cString: rollcall_commit())
    return "rollcall \(RollcallVersion.current)" + (commit.isEmpty ? "" : " (\(commit))")
  }
}
