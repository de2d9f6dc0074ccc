import Foundation

/// GNU SASL, if it is installed: another implementation to compare with.
struct GSASL {
  private typealias Prepare =
    @convention(c) (
      UnsafePointer<CChar>, CInt, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
      UnsafeMutablePointer<CInt>?
    ) -> CInt
  private typealias Initialize =
    @convention(c) (
      UnsafeMutablePointer<OpaquePointer?>
    ) -> CInt
  private typealias Start =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>
    ) -> CInt
  private typealias SetProperty =
    @convention(c) (
      OpaquePointer?, CInt, UnsafePointer<CChar>
    ) -> CInt
  private typealias Step =
    @convention(c) (
      OpaquePointer?, UnsafePointer<UInt8>?, Int,
      UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int>
    ) -> CInt
  private typealias Finish = @convention(c) (OpaquePointer?) -> Void

  private let prepare: Prepare
  private let initialize: Initialize
  private let startServer: Start
  private let setProperty: SetProperty
  private let step: Step
  private let finish: Finish
  private let done: Finish

  /// Nil if the library is not installed.
  init?() {
    let libraries = ["libgsasl.so.18", "libgsasl.18.dylib"]
    guard let library = libraries.lazy.compactMap({ name in dlopen(name, RTLD_NOW) }).first,
      let prepare = dlsym(library, "gsasl_saslprep"), let initialize = dlsym(library, "gsasl_init"),
      let startServer = dlsym(library, "gsasl_server_start"),
      let setProperty = dlsym(library, "gsasl_property_set"),
      let step = dlsym(library, "gsasl_step"), let finish = dlsym(library, "gsasl_finish"),
      let done = dlsym(library, "gsasl_done")
    else { return nil }
    self.prepare = unsafeBitCast(prepare, to: Prepare.self)
    self.initialize = unsafeBitCast(initialize, to: Initialize.self)
    self.startServer = unsafeBitCast(startServer, to: Start.self)
    self.setProperty = unsafeBitCast(setProperty, to: SetProperty.self)
    self.step = unsafeBitCast(step, to: Step.self)
    self.finish = unsafeBitCast(finish, to: Finish.self)
    self.done = unsafeBitCast(done, to: Finish.self)
  }

  /// Prepares a text without zero bytes, allowing unassigned code points; nil if it is refused.
  func saslprep(_ text: String) -> String? {
    var prepared: UnsafeMutablePointer<CChar>?
    // Its flag for allowing them (1) in fact refuses them.
    guard prepare(text, 0, &prepared, nil) == 0, let prepared else { return nil }
    defer { free(prepared) }
    return String(cString: prepared)
  }

  /// Runs a login of a client at a server with this password.
  ///
  /// - Parameter client: Returns the client's next message for the server's last one; nil to stop.
  /// - Returns: Whether the server accepted the login.
  func serve(
    _ mechanism: String, password: String, client: (_ server: [UInt8]?) throws -> [UInt8]?
  ) rethrows -> Bool {
    var (context, session): (OpaquePointer?, OpaquePointer?)
    guard initialize(&context) == 0 else { return false }
    defer { done(context) }
    guard startServer(context, mechanism, &session) == 0 else { return false }
    defer { finish(session) }
    // GSASL_PASSWORD and GSASL_SCRAM_ITER
    guard setProperty(session, 3, password) == 0, setProperty(session, 15, "4096") == 0 else {
      return false
    }
    var said: [UInt8]?
    while let message = try client(said) {
      var (output, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
      let result = step(session, message, message.count, &output, &count)
      defer { free(output) }
      guard result == 0 || result == 1 else { return false }
      said = output.map { Array(UnsafeBufferPointer(start: $0, count: count)) }
      if result == 0 {
        _ = try client(said)
        return true
      }
    }
    return false
  }
}
