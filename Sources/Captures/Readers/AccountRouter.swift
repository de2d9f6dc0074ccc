/// Finds the account of a received chunk in a log that names accounts only for sent chunks.
struct AccountRouter {
  private struct Account {
    let name: String
    let bare: [UInt8]
    /// The ids of the last stanzas that it sent.
    var ids: [[UInt8]] = []
    /// The answers from the server that it waits for.
    var awaited: Set<Answer> = []
  }

  /// An answer that a server sends only to a client that asked for it.
  private enum Answer {
    case header, encryption, authentication, management, acknowledgement

    /// The answer that an element from the client asks for.
    init?(to payload: ArraySlice<UInt8>) {
      guard !TopLevel.isStreamHeader(payload) else {
        self = .header
        return
      }
      switch TopLevel.localName(payload) {
      case "starttls": self = .encryption
      case "auth", "response": self = .authentication
      case "enable", "resume": self = .management
      case "r": self = .acknowledgement
      default: return nil
      }
    }

    /// The kind of answer of an element from the server.
    init?(_ chunk: ArraySlice<UInt8>) {
      guard !TopLevel.isStreamHeader(chunk) else {
        self = .header
        return
      }
      switch TopLevel.localName(chunk) {
      case "features": self = .header
      case "proceed": self = .encryption
      case "challenge", "success", "failure": self = .authentication
      case "enabled", "resumed", "failed": self = .management
      case "a": self = .acknowledgement
      default: return nil
      }
    }
  }

  /// The accounts that sent something, the last sender last.
  private var accounts: [Account] = []

  private static let maximumIDs = 500
  private static let maximumAccounts = 100

  /// Whether there are several accounts.
  var hasSeveral: Bool { accounts.count > 1 }

  /// The account that sent last.
  var latest: String? { accounts.last?.name }

  /// Notes a payload that an account sent.
  mutating func sent(_ name: String, _ payload: ArraySlice<UInt8>) {
    var account: Account
    if let index = accounts.firstIndex(where: { $0.name == name }) {
      account = accounts.remove(at: index)
    } else {
      let bare = name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? name
      account = Account(name: name, bare: Array(bare.utf8))
    }
    if let answer = Answer(to: payload) {
      // The next step of setting up a stream begins when the step before is done.
      if answer != .acknowledgement { account.awaited = [] }
      account.awaited.insert(answer)
    } else if TopLevel.isStanza(payload) {
      account.awaited.formIntersection([.acknowledgement, .management])
    }
    if let id = Self.ids(in: payload).first {
      account.ids.append(id)
      if account.ids.count > Self.maximumIDs { account.ids.removeFirst() }
    }
    accounts.append(account)
    if accounts.count > Self.maximumAccounts { accounts.removeFirst() }
  }

  /// The only account that a received chunk can belong to; nil if there are several.
  ///
  /// - Parameter open: The accounts whose stream is inside an element.
  mutating func account(of chunk: ArraySlice<UInt8>, open: [String]) -> String? {
    guard hasSeveral else { return latest }
    if chunk.first != UInt8(ascii: "<"), open.count == 1 { return open.first }
    let addressed = accounts.filter { Self.names(chunk, "to", $0.bare) }
    if addressed.count == 1 { return addressed.first?.name }
    // An element without a recipient is about the account itself: its own presence, or a push.
    let own = accounts.filter { Self.names(chunk, "from", $0.bare) }
    if own.count == 1, chunk.position(of: Array(" to=".utf8)) == nil { return own.first?.name }
    let answered = Set(Self.ids(in: chunk))
    let asking = accounts.filter { $0.ids.contains(where: answered.contains) }
    if asking.count == 1 { return asking.first?.name }
    guard let answer = Answer(chunk) else { return nil }
    let waiting = accounts.indices.filter { accounts[$0].awaited.contains(answer) }
    guard let index = waiting.first, waiting.count == 1 else { return nil }
    // Only an acknowledgement ends the wait: features follow the header, and challenges follow each
    // other.
    if answer == .acknowledgement { accounts[index].awaited.remove(answer) }
    return accounts[index].name
  }

  /// Whether a payload that an account sent answers a chunk, by acknowledging a push with its id.
  func answers(_ payload: ArraySlice<UInt8>, _ chunk: ArraySlice<UInt8>) -> Bool {
    guard payload.prefix(64).position(of: Array("result".utf8)) != nil,
      let id = Self.ids(in: payload).first
    else { return false }
    return Self.ids(in: chunk).contains(id)
  }

  /// Whether an attribute has the account's bare address or a full one.
  private static func names(
    _ chunk: ArraySlice<UInt8>, _ attribute: String, _ bare: [UInt8]
  ) -> Bool {
    let name = [UInt8](" \(attribute)=".utf8)
    var rest = chunk
    while let start = rest.position(of: name) {
      rest = rest[(start + name.count)...]
      let value = rest.dropFirst()
      let next = value.dropFirst(bare.count).first
      let isWhole = next == rest.first || next == UInt8(ascii: "/")
      if value.starts(with: bare), isWhole { return true }
    }
    return false
  }

  private static func ids(in text: ArraySlice<UInt8>) -> [[UInt8]] {
    let name = [UInt8](" id=".utf8)
    var found: [[UInt8]] = []
    var rest = text
    while found.count < 100, let start = rest.position(of: name) {
      rest = rest[(start + name.count)...]
      guard let quote = rest.popFirst() else { break }
      found.append(Array(rest.prefix(128).prefix { $0 != quote }))
    }
    return found
  }
}
