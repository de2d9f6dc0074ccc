package import RosterClient
import XMPPStanza

// The login, where the proxy ends it on both sides.
extension ProxyMachine {
  /// What the client is offered in place of what the server offers, where the proxy logs in itself.
  mutating func ownOffer(_ node: XMPPElement) -> [UInt8]? {
    guard state == .secured, node.is("features", in: Namespace.streams) else { return nil }
    return login?.featuresReceived(node)
  }

  /// What comes of something that is said to the proxy alone; nil where it is not.
  mutating func ownLogin(_ node: XMPPElement, from side: ProxySide) -> [ProxyAction]? {
    guard state == .secured, var login, node.isOfSASL(from: side) else { return nil }
    do throws(ProxyFailure) {
      let actions = try side == .client ? login.clientSaid(node) : login.serverSaid(node)
      self.login = login
      guard login.isOver else { return actions }
      state = .authenticated
      return serverNote + actions
    } catch {
      return loginFailed(error)
    }
  }

  /// The keys of the proxy's own login are there, or cannot be made.
  package mutating func derived(_ keys: Result<SCRAMKeys, SASLFailure>) -> [ProxyAction] {
    guard state == .secured, var login else { return [] }
    do throws(ProxyFailure) {
      let actions = try login.derived(keys)
      self.login = login
      return actions
    } catch {
      return loginFailed(error)
    }
  }

  private mutating func loginFailed(_ failure: ProxyFailure) -> [ProxyAction] {
    [TerminatedLogin.refuse("temporary-auth-failure")] + breakOff(failure, "policy-violation")
  }
}
