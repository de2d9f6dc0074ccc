import ArgumentParser
import Foundation
import Rollcall
import RollcallCLI
import RosterClient

/// The options for logging in.
struct LoginOptions: ParsableArguments {
  @Argument(help: "The account, such as alice@example.org, optionally with a resource.")
  var account: String

  @Option(
    name: [.short, .customLong("output")],
    help: ArgumentHelp(
      "The log, created or continued; by default the account's address with .rollcall.",
      valueName: "log"), completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the password; by default ROLLCALL_PASSWORD, or a prompt.",
      valueName: "file"), completion: .file())
  var passwordFile: String?

  @Option(
    help: ArgumentHelp(
      "The server to connect to, instead of the one that DNS names.", valueName: "host[:port]"))
  var server: String?

  @Flag(
    help: "Start TLS with the connection (XEP-0368), on port 5223 unless --server gives another.")
  var directTLS = false

  @Option(
    help: ArgumentHelp(
      "PEM certificates to trust besides the system's, such as for a server of your own.",
      valueName: "file"), completion: .file())
  var authority: String?

  @Flag(
    help: "Send the server the password itself, inside TLS, if it offers nothing better.")
  var allowPlain = false

  func validate() throws {
    _ = try jid
    guard !directTLS || server != nil else {
      throw ValidationError("--direct-tls applies only to a server that --server names")
    }
    _ = try address
  }

  var jid: JID {
    get throws {
      do {
        let jid = try JID(parsing: account)
        guard jid.bare.local != nil else {
          throw ValidationError("“\(account)” is a domain: an account has a name before an @")
        }
        return jid
      } catch let error as JIDError {
        throw ValidationError("“\(account)” is not an address: \(error)")
      }
    }
  }

  private var address: ServerAddress? {
    get throws {
      guard let server else { return nil }
      do {
        return try ServerAddress(parsing: server, isDirectTLS: directTLS)
      } catch {
        throw ValidationError("--server \(server): \(error)")
      }
    }
  }

  /// The path of the log.
  var path: String {
    get throws { try output ?? "\(jid.bare.fileName).rollcall" }
  }

  /// - Parameter isNew: Whether the user chooses a new password, which must be typed twice.
  func login(isNew: Bool = false) throws -> LiveLogin {
    let jid = try jid
    if let authority { try AuthorityFile.check(authority) }
    var login = LiveLogin(account: jid.bare, password: try password(isNew: isNew))
    login.resource = jid.resource
    login.server = try address
    login.authority = authority
    login.allowsPlain = allowPlain
    login.registers = isNew
    return login
  }

  private func password(isNew: Bool) throws -> Password {
    if let passwordFile {
      return Password(try PasswordSource.file(passwordFile))
    }
    if let text = PasswordSource.environment() { return Password(text) }
    let text = try PasswordSource.terminal("Password of \(account): ")
    if isNew, try PasswordSource.terminal("Once more: ") != text {
      throw Failure("the two passwords are not the same")
    }
    return Password(text)
  }
}

/// The sources of a password other than arguments.
enum PasswordSource {
  /// The first line of a file.
  static func file(_ path: String) throws -> String {
    let text = try Failure.naming(path) { try String(contentsOfFile: path, encoding: .utf8) }
    guard let line = text.split(whereSeparator: \.isNewline).first else {
      throw Failure("\(path): the file has no password")
    }
    return String(line)
  }

  /// The environment variable that may hold a password.
  static let variable = "ROLLCALL_PASSWORD"

  /// The password in the environment; nil if there is none. Removes it, so that child processes and
  /// `/proc` no longer show it.
  static func environment() -> String? {
    guard let value = getenv(variable) else { return nil }
    let text = String(cString: value)
    // `/proc` shows this memory.
    memset(value, 0, strlen(value))
    unsetenv(variable)
    return text
  }

  /// A password that the user types without an echo.
  static func terminal(_ prompt: String) throws -> String {
    guard let terminal = fopen("/dev/tty", "r+") else {
      throw Failure(
        "there is no terminal to ask for the password: give it by --password-file or in "
          + "ROLLCALL_PASSWORD")
    }
    defer { fclose(terminal) }
    var before = termios()
    let descriptor = fileno(terminal)
    guard tcgetattr(descriptor, &before) == 0 else {
      throw Failure("the settings of the terminal cannot be read")
    }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(descriptor, TCSAFLUSH, &silent)
    defer {
      tcsetattr(descriptor, TCSAFLUSH, &before)
      fputs("\n", terminal)
    }
    fputs(prompt, terminal)
    fflush(terminal)
    var line: UnsafeMutablePointer<CChar>?
    var size = 0
    let count = getline(&line, &size, terminal)
    defer { free(line) }
    guard count > 0, let line else { throw Failure("no password was given") }
    let bytes = UnsafeRawBufferPointer(start: line, count: count)
    defer { memset(line, 0, count) }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
