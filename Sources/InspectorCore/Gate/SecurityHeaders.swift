/// The headers that every answer has, so that the browser neither keeps it, nor shows it in another
/// page, nor lets it load or run anything from elsewhere.
package enum SecurityHeaders {
  /// The content-security policy. Trusted types make every sink of HTML refuse text.
  package static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "img-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")

  /// The names and values.
  ///
  /// - Parameter isPrivate: Whether the answer shows something of the log; a browser must not write
  ///   that to the disk.
  package static func all(isPrivate: Bool) -> [(name: String, value: String)] {
    [
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cache-Control", isPrivate ? "no-store" : "no-cache"),
    ]
  }
}
