package import RosterClient
import XMPPStanza

// The login, if the proxy takes part in it on both sides.
extension ProxyMachine {
  /// The proxy's offer of mechanisms in place of the server's, if the proxy logs in itself.
  mutating func ownOffer(_ node: XMPPElement) -> [UInt8]? {
    guard state == .secured, node.is("features", in: Namespace.streams) else { return nil }
    return login?.featuresReceived(node)
  }

  /// The actions for an element that is meant for the proxy alone; nil if it is not.
  mutating func ownLogin(_ node: XMPPElement, from side: ProxySide) -> [ProxyAction]? {
    guard state == .secured, var login, node.isOfSASL(from: side) else { return nil }
    do throws(ProxyFailure) {
      let actions = try side == .client ? login.clientSaid(node) : login.serverSaid(node)
      self.login = login
      guard login.isOver else { return actions }
      state = .authenticated
      return accepted() + actions
    } catch {
      return loginFailed(error)
    }
  }

  /// The keys of the proxy's own login were derived, or cannot be.
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
