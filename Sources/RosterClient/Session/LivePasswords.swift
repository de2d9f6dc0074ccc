import Rollcall

/// The password of an account, and the new one that the server was asked to set.
///
/// If the connection is lost before the answer, either may be the right one. The new one is tried
/// first: if the server accepts it, the change is certain.
struct LivePasswords {
  private var current: Password
  /// The change that the server has not answered.
  private var change: (name: String, password: Password)?
  /// Whether the server has refused a login with the new password.
  private var isNewRefused = false

  init(_ password: Password) { current = password }

  /// Whether the server has yet to answer a change request.
  var isChanging: Bool { change != nil }

  /// The password for the next login.
  var passwordToTry: Password { isNewRefused ? current : change?.password ?? current }

  /// The server was asked to set a new password.
  ///
  /// - Parameters:
  ///   - password: The new password.
  ///   - name: The name under which the answer is awaited.
  mutating func asked(for password: Password, as name: String) { change = (name, password) }

  /// A request was answered; it may be the one for a new password.
  mutating func answered(_ name: String, isDone: Bool) {
    guard let change, change.name == name else { return }
    if isDone { current = change.password }
    self.change = nil
  }

  /// The server has refused a login with `passwordToTry`.
  ///
  /// - Returns: Whether there is another password to try.
  mutating func refused() -> Bool {
    guard change != nil, !isNewRefused else { return false }
    isNewRefused = true
    return true
  }

  /// The server has accepted a login with `passwordToTry`.
  mutating func accepted(isResumed: Bool) {
    guard let change else { return }
    if !isNewRefused {
      current = change.password
      self.change = nil
    } else if !isResumed {
      self.change = nil
    }
    // A resumed session sends the request again, and its answer can be lost again.
    isNewRefused = false
  }
}
