import InspectorCore
import Testing

/// What the browser is told not to do with an answer.
@Suite struct SecurityHeadersTests {
  @Test(arguments: [true, false])
  func everyAnswerHasThem(isPrivate: Bool) {
    let headers = Dictionary(
      uniqueKeysWithValues: SecurityHeaders.all(isPrivate: isPrivate).map { ($0.name, $0.value) })
    #expect(
      headers == [
        "Content-Security-Policy": """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
        img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'
        """,
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        // A browser writes to the disk what it may keep.
        "Cache-Control": isPrivate ? "no-store" : "no-cache",
      ])
  }
}
