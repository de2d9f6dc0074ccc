/// Decides from a request's head alone whether it may be answered.
///
/// The page and the server are on the same machine, but other pages that the browser has open can
/// send requests here too. A wrong `Host` is a name that another site controls (DNS rebinding); a
/// wrong `Origin` is another page; and without the key it is not our page.
package struct Gate: Sendable {
  /// The most bytes of a body.
  package static let bodyLimit = 64 << 10
  /// The most bytes of a request target.
  package static let targetLimit = 4 << 10

  /// The head of a request.
  package struct Head: Hashable, Sendable {
    package var method: String
    /// The path and the query, as they were sent.
    package var target: String
    /// Every value of `Host`.
    package var hosts: [String]
    /// Every value of `Origin`.
    package var origins: [String]
    /// Every value of `Authorization`.
    package var authorizations: [String]
    /// The media type of the body; nil if it is not named.
    package var contentType: String?
    /// The length of the body; nil if it is not named.
    package var contentLength: Int?

    package init(
      method: String, target: String, hosts: [String], origins: [String] = [],
      authorizations: [String] = [], contentType: String? = nil, contentLength: Int? = nil
    ) {
      self.method = method
      self.target = target
      self.hosts = hosts
      self.origins = origins
      self.authorizations = authorizations
      self.contentType = contentType
      self.contentLength = contentLength
    }
  }

  private let authorities: Set<String>
  private let key: AccessKey

  /// - Parameters:
  ///   - port: The port that the server listens on.
  ///   - key: What the page has to know.
  package init(port: Int, key: AccessKey) {
    authorities = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
    self.key = key
  }

  /// Why a request is not answered; nil if it may be.
  package func refusal(of head: Head) -> Refusal? {
    guard head.hosts.count == 1, let host = head.hosts.first, authorities.contains(host) else {
      return Refusal(421, "wrong-host", "this server answers only to its own address")
    }
    guard head.origins.count <= 1, head.origins.allSatisfy({ $0 == "http://\(host)" }) else {
      return Refusal(403, "wrong-origin", "another page may not read this log")
    }
    guard head.method == "GET" || head.method == "POST" else {
      return Refusal(405, "wrong-method", "use GET or POST")
    }
    guard head.target.utf8.count <= Self.targetLimit else {
      return Refusal(414, "too-large", "the address has more than \(Self.targetLimit) bytes")
    }
    let isPrivate = Self.isPrivate(head.target)
    if isPrivate {
      guard head.authorizations.count == 1, key.opens(head.authorizations[0]) else {
        return Refusal(
          401, "no-key", "open the address that rollcall inspect printed: it has the key")
      }
    }
    guard head.method == "POST" else { return nil }
    guard isPrivate else { return Refusal(405, "wrong-method", "use GET") }
    guard Self.isJSON(head.contentType) else {
      return Refusal(400, "bad-request", "the body has to be application/json")
    }
    guard (head.contentLength ?? 0) <= Self.bodyLimit else {
      return Refusal(413, "too-large", "the body has more than \(Self.bodyLimit) bytes")
    }
    return nil
  }

  /// Whether a target shows something of the log.
  package static func isPrivate(_ target: String) -> Bool {
    target == "/api" || target.hasPrefix("/api/") || target.hasPrefix("/api?")
  }

  private static func isJSON(_ type: String?) -> Bool {
    let media = type?.prefix { $0 != ";" }.trimmingSuffix { $0 == " " }.lowercased()
    return media == "application/json"
  }
}

extension Substring {
  fileprivate func trimmingSuffix(_ isTrimmed: (Character) -> Bool) -> Substring {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
