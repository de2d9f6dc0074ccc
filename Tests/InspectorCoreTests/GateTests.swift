import InspectorCore
import Testing

/// The gate, as a table: each refused request differs in one thing from one that is answered.
@Suite struct GateTests {
  private static let key = { () -> AccessKey in
    var generator = SystemRandomNumberGenerator()
    return AccessKey(using: &generator)
  }()
  private static let gate = Gate(port: 8791, key: key)

  private static func head(
    _ change: (inout Gate.Head) -> Void = { _ in }
  ) -> Gate.Head {
    var head = Gate.Head(
      method: "GET", target: "/api/log", hosts: ["127.0.0.1:8791"],
      authorizations: ["Bearer \(key.text)"])
    change(&head)
    return head
  }

  private static func post(_ change: (inout Gate.Head) -> Void = { _ in }) -> Gate.Head {
    head {
      ($0.method, $0.target, $0.contentType) = ("POST", "/api/views", "application/json")
      $0.contentLength = 20
      change(&$0)
    }
  }

  private static let letThrough: [Gate.Head] = [
    head(),
    head { $0.hosts = ["localhost:8791"] },
    head { $0.hosts = ["[::1]:8791"] },
    head { $0.origins = ["http://127.0.0.1:8791"] },
    head { ($0.hosts, $0.origins) = (["localhost:8791"], ["http://localhost:8791"]) },
    // The page itself shows nothing of the log.
    head { ($0.target, $0.authorizations) = ("/", []) },
    head { ($0.target, $0.authorizations) = ("/js/main.js", []) },
    head { ($0.target, $0.authorizations) = ("/apiary", []) },
    post(),
    post { $0.contentType = "application/json; charset=utf-8" },
    post { $0.contentLength = 64 << 10 },
    post { $0.contentLength = nil },
  ]

  @Test(arguments: letThrough)
  func letsThrough(_ head: Gate.Head) {
    #expect(Self.gate.refusal(of: head) == nil)
  }

  private static let refused: [(Int, Gate.Head)] = [
    (421, head { $0.hosts = [] }),
    (421, head { $0.hosts = ["127.0.0.1"] }),
    (421, head { $0.hosts = ["127.0.0.1:8792"] }),
    (421, head { $0.hosts = ["127.0.0.1.:8791"] }),
    (421, head { $0.hosts = ["rebound.example:8791"] }),
    (421, head { $0.hosts = ["127.0.0.1:8791", "127.0.0.1:8791"] }),
    (421, head { ($0.hosts, $0.target) = (["rebound.example:8791"], "/") }),
    (403, head { $0.origins = ["http://127.0.0.1:8792"] }),
    (403, head { $0.origins = ["https://127.0.0.1:8791"] }),
    (403, head { $0.origins = ["null"] }),
    (403, head { $0.origins = ["http://localhost:8791"] }),
    (403, head { $0.origins = ["http://127.0.0.1:8791", "http://127.0.0.1:8791"] }),
    (401, head { $0.authorizations = [] }),
    (401, head { $0.authorizations = ["Bearer "] }),
    (401, head { $0.authorizations = ["Bearer \(key.text.dropLast())"] }),
    (401, head { $0.authorizations = ["Bearer \(key.text)A"] }),
    (401, head { $0.authorizations = ["bearer \(key.text)"] }),
    (401, head { $0.authorizations = [key.text] }),
    (401, head { $0.authorizations += $0.authorizations }),
    (401, head { ($0.target, $0.authorizations) = ("/api", []) }),
    (401, head { ($0.target, $0.authorizations) = ("/api?at=1", []) }),
    (405, head { $0.method = "HEAD" }),
    (405, head { $0.method = "DELETE" }),
    (405, head { $0.method = "OPTIONS" }),
    (414, head { $0.target = "/api/log?" + String(repeating: "a", count: 4 << 10) }),
    (405, post { $0.target = "/" }),
    (400, post { $0.contentType = nil }),
    (400, post { $0.contentType = "text/plain" }),
    (413, post { $0.contentLength = (64 << 10) + 1 }),
    (401, post { $0.authorizations = [] }),
  ]

  @Test(arguments: refused)
  func refuses(_ status: Int, _ head: Gate.Head) {
    #expect(Self.gate.refusal(of: head)?.status == status)
  }

  @Test func aKeyIsLongAndNeverTheSame() {
    var generator = SystemRandomNumberGenerator()
    let (first, second) = (AccessKey(using: &generator), AccessKey(using: &generator))
    // 32 bytes are 43 characters of six bits.
    #expect(first.text.count == 43)
    #expect(first != second)
    #expect(first.opens("Bearer \(first.text)"))
    #expect(!first.opens("Bearer \(second.text)"))
  }
}
