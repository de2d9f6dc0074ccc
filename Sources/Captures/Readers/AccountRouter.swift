/// Finds out whose a received chunk is in a log that names the account only of what was sent.
struct AccountRouter {
  private struct Account {
    let name: String
    let bare: [UInt8]
    /// The ids of the latest stanzas that it sent.
    var ids: [[UInt8]] = []
    /// What it waits for the server to say.
    var awaits: Set<Answer> = []
  }

  /// What a server says only to who has asked for it.
  private enum Answer {
    case header, encryption, authentication, management, acknowledgement

    /// What an element of the client has the server answer.
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

    /// The answer that an element of the server is.
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

  /// Those that sent something, the latest last.
  private var accounts: [Account] = []

  private static let maximumIDs = 500
  private static let maximumAccounts = 100

  /// Whether there is a choice.
  var hasSeveral: Bool { accounts.count > 1 }

  /// The account that sent last.
  var latest: String? { accounts.last?.name }

  /// Notes what an account sent.
  mutating func sent(_ name: String, _ payload: ArraySlice<UInt8>) {
    var account: Account
    if let index = accounts.firstIndex(where: { $0.name == name }) {
      account = accounts.remove(at: index)
    } else {
      let bare = name.split(separator: "/", maxSplits: 1).first.map(String.init) ?? name
      account = Account(name: name, bare: Array(bare.utf8))
    }
    if let answer = Answer(to: payload) {
      // What comes next in setting up a stream comes when the step before is done.
      if answer != .acknowledgement { account.awaits = [] }
      account.awaits.insert(answer)
    } else if TopLevel.isStanza(payload) {
      account.awaits.formIntersection([.acknowledgement, .management])
    }
    if let id = Self.ids(in: payload).first {
      account.ids.append(id)
      if account.ids.count > Self.maximumIDs { account.ids.removeFirst() }
    }
    accounts.append(account)
    if accounts.count > Self.maximumAccounts { accounts.removeFirst() }
  }

  /// The one account that a received chunk can be of; nil where it may be of several.
  ///
  /// - Parameter open: the accounts whose stream is within an element.
  mutating func account(of chunk: ArraySlice<UInt8>, open: [String]) -> String? {
    guard hasSeveral else { return latest }
    if chunk.first != UInt8(ascii: "<"), open.count == 1 { return open.first }
    let addressed = accounts.filter { Self.names(chunk, "to", $0.bare) }
    if addressed.count == 1 { return addressed.first?.name }
    // What has no recipient is of the account itself: its own presence, or a push.
    let own = accounts.filter { Self.names(chunk, "from", $0.bare) }
    if own.count == 1, chunk.position(of: Array(" to=".utf8)) == nil { return own.first?.name }
    let answered = Set(Self.ids(in: chunk))
    let asking = accounts.filter { $0.ids.contains(where: answered.contains) }
    if asking.count == 1 { return asking.first?.name }
    guard let answer = Answer(chunk) else { return nil }
    let waiting = accounts.indices.filter { accounts[$0].awaits.contains(answer) }
    guard let index = waiting.first, waiting.count == 1 else { return nil }
    // Features follow the header, and challenges each other.
    if answer == .acknowledgement { accounts[index].awaits.remove(answer) }
    return accounts[index].name
  }

  /// Whether what an account sent answers a chunk: it acknowledges a push by its id.
  func answers(_ payload: ArraySlice<UInt8>, _ chunk: ArraySlice<UInt8>) -> Bool {
    guard payload.prefix(64).position(of: Array("result".utf8)) != nil,
      let id = Self.ids(in: payload).first
    else { return false }
    return Self.ids(in: chunk).contains(id)
  }

  /// Whether an attribute has an address of the account.
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
