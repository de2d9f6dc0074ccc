package import XMPPStanza

/// Tells which acknowledgements of stanzas (XEP-0198 §4) on a connection say something new.
///
/// An acknowledgement is news if its count differs from the last one of the same side, or if the
/// other side has sent a stanza since: then it says that this stanza was not handled yet. The first
/// one after the connection or stream management began is news, too. A request is not news. Either
/// is, if it is the first sign that the server was alive after a stanza of ours.
///
/// A reducer that counts stanzas is in the same state with and without the rest, except for the
/// time of the last sign of life.
package struct AcknowledgementNews: Sendable {
  /// The last count of each side, as long as the other side has not sent a stanza since.
  private var known: [Direction: UInt32] = [:]
  /// Whether nothing from the server that is news has followed a stanza of ours.
  private var awaitsSign = false

  /// The state before a stream begins.
  package init() {}

  /// Notes an element in the order of the stream.
  ///
  /// - Returns: Whether it is an acknowledgement or a request for one that says nothing new.
  package mutating func isOld(_ node: XMPPElement, _ direction: Direction) -> Bool {
    let isNews = isNews(node, direction) || awaitsSign && direction == .inbound
    if isNews, direction == .inbound { awaitsSign = false }
    return !isNews
  }

  /// Notes that another stream begins, or may have begun.
  package mutating func streamChanged() { known = [:] }

  private mutating func isNews(_ node: XMPPElement, _ direction: Direction) -> Bool {
    guard node.isAcknowledgement else {
      if node.isStanza {
        known[direction.opposite] = nil
        awaitsSign = awaitsSign || direction == .outbound
      } else {
        // Stream management may begin with it.
        streamChanged()
      }
      return true
    }
    guard node.name.local == "a" else { return false }
    guard let count = node.attribute("h").flatMap({ UInt32($0) }) else { return true }
    defer { known[direction] = count }
    return known[direction] != count
  }
}

extension Direction {
  fileprivate var opposite: Direction {
    switch self {
    case .inbound: .outbound
    case .outbound: .inbound
    }
  }
}
