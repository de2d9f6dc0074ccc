import Captures

/// The answer to a request of the page.
package struct InspectorAnswer: Sendable {
  /// The status of HTTP (RFC 9110 §15).
  package let status: Int
  /// The media type.
  package let contentType: String
  package let body: [UInt8]
  /// The name under which the browser should save the body; nil if it should not.
  package let fileName: String?

  package init(
    status: Int = 200, contentType: String = "application/json", body: [UInt8],
    fileName: String? = nil
  ) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.fileName = fileName
  }

  init(_ document: JSONValue, status: Int = 200) {
    var bytes: [UInt8] = []
    document.write(to: &bytes)
    self.init(status: status, body: bytes)
  }

  package init(_ refusal: Refusal) {
    self.init(refusal.document, status: refusal.status)
  }
}

/// Why a request is not answered.
package struct Refusal: Error, Hashable, Sendable {
  /// The status of HTTP.
  package let status: Int
  /// What the page tells cases apart by.
  package let code: String
  /// A sentence for the user.
  package let sentence: String
  /// The term of a filter that cannot be understood; nil for other reasons.
  package var term: String?

  package init(_ status: Int, _ code: String, _ sentence: String, term: String? = nil) {
    (self.status, self.code, self.sentence, self.term) = (status, code, sentence, term)
  }

  var document: JSONValue {
    .object(["error": .string(sentence), "code": .string(code)])
      .adding(term.map { ["term": .string($0)] } ?? [:])
  }

  static let noSuchPath = Refusal(404, "no-such-path", "there is nothing at this path")

  static func malformed(_ sentence: String) -> Refusal { Refusal(400, "bad-request", sentence) }

  static func noRecord(_ record: UInt64, head: UInt64) -> Refusal {
    Refusal(404, "no-such-record", "there is no record \(record): the last is \(head)")
  }
}
