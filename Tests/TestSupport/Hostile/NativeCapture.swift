/// The lines of a native capture.
struct NativeCapture {
  private(set) var bytes: [UInt8] = []
  /// The time of the next line; it advances by a millisecond per line.
  var time: Int64 = 1_763_600_000_000
  /// The connection of the next lines.
  var connection = 1

  static let account = "alice@example.test"

  /// A capture whose first line names the account.
  init() {
    line(#"{"rollcall-capture":1,"account":"\#(Self.account)/phone"}"#)
  }

  /// A capture in which a client has logged in and fetched its roster, which has these items.
  init(items: String) {
    self.init()
    login()
    fetch("roster", items: items)
  }

  /// Appends a line unchanged.
  mutating func line(_ text: String) {
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Appends an element from the server.
  mutating func received(_ xml: String) { element("in", xml) }

  /// Appends an element to the server.
  mutating func sent(_ xml: String) { element("out", xml) }

  private mutating func element(_ direction: String, _ xml: String) {
    line(#"{\#(timestamp),"dir":"\#(direction)","xml":"\#(xml)"}"#)
  }

  /// Appends a stream event: opened, closed or resumed.
  mutating func stream(_ word: String, _ jid: String? = nil) {
    let address = jid.map { #","jid":"\#($0)""# } ?? ""
    line(#"{\#(timestamp),"stream":"\#(word)"\#(address)}"#)
  }

  /// Begins a session of a resource.
  mutating func login(_ resource: String = "phone") {
    stream("opened", "\(Self.account)/\(resource)")
  }

  private var timestamp: String {
    mutating get {
      time += 1
      return #""t":\#(time)"# + (connection == 1 ? "" : #","c":\#(connection)"#)
    }
  }

  // MARK: Stanzas

  /// Appends a roster get of the client and the server's result.
  mutating func fetch(_ id: String, items: String) {
    sent("<iq type='get' id='\(id)'><query xmlns='jabber:iq:roster'/></iq>")
    received("<iq type='result' id='\(id)'><query xmlns='jabber:iq:roster'>\(items)</query></iq>")
  }

  mutating func push(_ id: String, _ item: String) {
    received("<iq type='set' id='\(id)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>")
  }

  mutating func set(_ id: String, _ item: String) {
    sent("<iq type='set' id='\(id)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>")
  }

  mutating func presence(_ from: String, _ rest: String = "/>") {
    received("<presence from='\(from)'\(rest)")
  }
}

extension HostileCapture {
  /// The address of a contact by number.
  static func contact(_ number: Int) -> String { "contact\(number)@example.test" }

  /// The items of contacts with mutual subscriptions.
  static func items(_ numbers: Range<Int>, groups: (Int) -> [String] = { _ in [] }) -> String {
    numbers.map { item(contact($0), groups: groups($0)) }.joined()
  }

  static func item(
    _ jid: String, _ attributes: String = "subscription='both'", groups: [String] = []
  ) -> String {
    "<item jid='\(jid)' \(attributes)>"
      + groups.map { "<group>\($0)</group>" }.joined() + "</item>"
  }
}
