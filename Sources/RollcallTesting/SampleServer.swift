public import Rollcall
import RosterCore
public import XMPPStanza
import XMPPStream

/// A server for one account, without a network: for unit tests of code that uses a `RosterSession`.
///
///     let server = SampleServer(items: [RosterItem(jid: bob, subscription: .both)])
///     server.received(bytes)  // what your code has written
///     for bytes in server.takeAnswers() { try session.received(bytes, at: clock.now()) }
///
/// It lets everyone in, binds a resource, and keeps the roster: it sends it, carries out sets, and
/// pushes each change (RFC 6121 §2). Contacts accept requests at once, and an acceptance is carried
/// out whether or not the contact has asked. Any other request is refused with
/// `service-unavailable`. A new stream after a bound one is a new connection.
public final class SampleServer {
  /// The roster as the server keeps it.
  public private(set) var items: [BareJID: RosterItem]
  /// Returns the error with which the set of an item is refused; nil to carry it out. Is not asked
  /// about removals.
  public var refusal: (RosterItem) -> StanzaError? = { _ in nil }
  /// The number of pushes that the client has acknowledged.
  public private(set) var acknowledgedPushes = 0

  private let account: JID
  private var login = Login.none
  private var intake = StreamIntake(SessionLimits())
  private var pushes = 0
  private var output: [UInt8] = []

  private enum Login {
    case none, authenticated, bound
  }

  /// A server with a roster.
  ///
  /// - Parameters:
  ///   - items: The items, each address once.
  ///   - account: Whose roster it is. Its resource is bound if the client asks for none.
  public init(items: [RosterItem] = [], account: JID = .sample) {
    self.items = Dictionary(items.map { ($0.jid, $0) }) { $1 }
    self.account = account
  }

  // MARK: The wire

  /// Takes bytes of the client's stream, in pieces of any size.
  public func received(_ bytes: some Sequence<UInt8>) {
    for part in intake.take(Array(bytes)) {
      switch part {
      case .header: began()
      case .element(let element): elementReceived(element.node)
      case .end: send("</stream:stream>")
      case .unreadable, .skipped:
        send(
          "<stream:error><not-well-formed xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
            + "</stream:error></stream:stream>")
      }
    }
  }

  /// Sends XML as it is, such as the stanza of another account.
  public func send(_ xml: String) { output += xml.utf8 }

  /// Returns what the server has sent since the last call, and forgets it.
  ///
  /// - Parameter size: The maximum number of bytes in a piece, for the cuts of a network.
  public func takeAnswers(inPiecesOf size: Int = .max) -> [[UInt8]] {
    defer { output = [] }
    return stride(from: 0, to: output.count, by: max(1, size)).map {
      Array(output[$0...].prefix(size))
    }
  }

  private func send(_ element: XMPPElement) { output += element.serialized() }

  private func began() {
    if case .bound = login { login = .none }
    let features =
      switch login {
      case .none:
        "<mechanisms xmlns='\(Namespace.sasl)'><mechanism>PLAIN</mechanism></mechanisms>"
      case .authenticated, .bound: "<bind xmlns='\(Namespace.bind)'/>"
      }
    send(
      "<?xml version='1.0'?><stream:stream xmlns='jabber:client' id='sample' version='1.0' "
        + "xmlns:stream='http://etherx.jabber.org/streams' from='\(account.bare.domain)'>"
        + "<stream:features>\(features)</stream:features>")
  }

  // MARK: Elements

  private func elementReceived(_ element: XMPPElement) {
    switch element.name.local {
    case "auth":
      login = .authenticated
      send("<success xmlns='\(Namespace.sasl)'/>")
    case "presence": presenceReceived(element)
    case "iq":
      guard let id = element.attribute("id") else { return }
      switch element.attribute("type") {
      case "get", "set": requestReceived(element, id)
      case "result": if id.hasPrefix("push") { acknowledgedPushes += 1 }
      default: break
      }
    default: break
    }
  }

  private func requestReceived(_ iq: XMPPElement, _ id: String) {
    if let bind = iq.child("bind", in: Namespace.bind) {
      login = .bound
      let resource = bind.child("resource", in: Namespace.bind)?.text
      let jid = JID(prepared: account.bare, resource: resource ?? account.resource ?? "sample")
      let bound = XMPPElement(
        XMLName("bind", in: Namespace.bind),
        content: [.element(.text("jid", jid.description, in: Namespace.bind))])
      send(.stanza("iq", [("type", "result"), ("id", id)], [bound]))
    } else if let query = iq.child("query", in: Namespace.roster) {
      guard let item = query.child("item", in: Namespace.roster) else {
        return send(.rosterResult(id: id, items.values.sorted { $0.jid < $1.jid }))
      }
      if let error = carryOut(item) { refuse(id, error) } else { send(.result(id: id)) }
    } else {
      refuse(id, StanzaError(type: "cancel", condition: .serviceUnavailable))
    }
  }

  /// Carries out a set, and returns the error if it is refused.
  private func carryOut(_ wanted: XMPPElement) -> StanzaError? {
    guard let jid = wanted.attribute("jid").flatMap({ try? BareJID(parsing: $0) }) else {
      return StanzaError(type: "modify", condition: .badRequest)
    }
    guard wanted.attribute("subscription") != "remove" else {
      guard items.removeValue(forKey: jid) != nil else {
        return StanzaError(type: "cancel", condition: .itemNotFound)
      }
      send(.rosterSet(id: nextPush(), removing: jid))
      return nil
    }
    let known = items[jid]
    let item = RosterItem(
      jid: jid, name: wanted.attribute("name"), subscription: known?.subscription ?? .none,
      isPending: known?.isPending ?? false, isApproved: known?.isApproved ?? false,
      groups: wanted.children.map(\.text))
    if let error = refusal(item) { return error }
    push(item)
    return nil
  }

  private func presenceReceived(_ presence: XMPPElement) {
    guard let jid = presence.attribute("to").flatMap({ try? BareJID(parsing: $0) }),
      let kind = presence.attribute("type").flatMap({ SubscriptionStanza.Kind(rawValue: $0) })
    else { return }
    var item = items[jid] ?? RosterItem(jid: jid)
    let (sees, isSeen) = (item.subscription.includesTo, item.subscription.includesFrom)
    switch kind {
    case .subscribe:
      guard !sees else { return }
      item.isPending = true
      push(item)
      send(.stanza("presence", [("type", "subscribed"), ("from", jid.text)], []))
      (item.isPending, item.subscription) = (false, isSeen ? .both : .to)
    case .unsubscribe: (item.isPending, item.subscription) = (false, isSeen ? .from : .none)
    case .subscribed: item.subscription = sees ? .both : .from
    case .unsubscribed: item.subscription = sees ? .to : .none
    }
    // The refusal of a request, for example, changes no item.
    if item != items[jid] ?? RosterItem(jid: jid) { push(item) }
  }

  private func push(_ item: RosterItem) {
    items[item.jid] = item
    send(.rosterPush(id: nextPush(), item))
  }

  private func nextPush() -> String {
    pushes += 1
    return "push\(pushes)"
  }

  private func refuse(_ id: String, _ error: StanzaError) {
    let condition = error.condition?.name ?? "undefined-condition"
    let words = error.text.map { XMPPElement.text("text", $0, in: Namespace.stanzaErrors) }
    let parts =
      [XMPPElement(XMLName(condition, in: Namespace.stanzaErrors))] + [words].compactMap { $0 }
    send(
      .stanza(
        "iq", [("type", "error"), ("id", id)],
        [.stanza("error", [("type", error.type ?? "cancel")], parts)]))
  }
}
