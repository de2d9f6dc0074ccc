/// The lines of a native capture.
struct NativeCapture {
  private(set) var bytes: [UInt8] = []
  /// The time of the next line; each line comes a millisecond after the one before.
  var time: Int64 = 1_763_600_000_000
  /// The connection of the next lines.
  var connection = 1

  static let account = "alice@example.test"

  /// A capture whose first line says whose it is.
  init() {
    line(#"{"rollcall-capture":1,"account":"\#(Self.account)/phone"}"#)
  }

  /// A capture in which a client has logged in and asked for its roster, which has these items.
  init(items: String) {
    self.init()
    login()
    fetch("roster", items: items)
  }

  /// A line as it is.
  mutating func line(_ text: String) {
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  /// An element from the server.
  mutating func received(_ xml: String) { element("in", xml) }

  /// An element to the server.
  mutating func sent(_ xml: String) { element("out", xml) }

  private mutating func element(_ direction: String, _ xml: String) {
    line(#"{\#(place),"dir":"\#(direction)","xml":"\#(xml)"}"#)
  }

  /// The stream was opened, closed, resumed.
  mutating func stream(_ word: String, _ jid: String? = nil) {
    let address = jid.map { #","jid":"\#($0)""# } ?? ""
    line(#"{\#(place),"stream":"\#(word)"\#(address)}"#)
  }

  /// A session of a resource begins.
  mutating func login(_ resource: String = "phone") {
    stream("opened", "\(Self.account)/\(resource)")
  }

  private var place: String {
    mutating get {
      time += 1
      return #""t":\#(time)"# + (connection == 1 ? "" : #","c":\#(connection)"#)
    }
  }

  // MARK: Stanzas

  /// The client asks for the roster, and the server answers.
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
  /// The address of a contact by its number.
  static func contact(_ number: Int) -> String { "contact\(number)@example.test" }

  /// The items of contacts that see each other's presence.
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
