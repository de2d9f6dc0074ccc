import RawBytes
import XMPPStanza

/// The mechanism that a client takes of those it is offered, and what it says of the channel.
///
/// No mechanism binds to a channel without the type being agreed upon (XEP-0440): a server that
/// wants another one would take us for someone in between. PLAIN hands the password over, so it is
/// never taken without TLS and without leave.
struct SASLChoice: Hashable, Sendable {
  let mechanism: SASLMechanism
  let binding: ChannelBinding

  init(
    of offer: SASLOffer, over channel: SASLChannel, allowsPlain: Bool
  ) throws(SASLFailure) {
    for mechanism in SASLMechanism.allCases where offer.has(mechanism) {
      guard
        let binding = Self.binding(
          of: mechanism, offer: offer, over: channel, allowsPlain: allowsPlain)
      else { continue }
      self.mechanism = mechanism
      self.binding = binding
      return
    }
    guard offer.has(.plain) else { throw .noUsableMechanism(offered: offer.mechanisms) }
    throw channel == .plain ? .plainWithoutTLS : .plainNotAllowed
  }

  /// Nil where the mechanism cannot be taken.
  private static func binding(
    of mechanism: SASLMechanism, offer: SASLOffer, over channel: SASLChannel, allowsPlain: Bool
  ) -> ChannelBinding? {
    switch (mechanism, channel) {
    case (.scramSHA256Plus, .tls(let hash)), (.scramSHA1Plus, .tls(let hash)):
      guard offer.hasServerEndPoint, let hash else { return nil }
      return .serverEndPoint(hash)
    case (.scramSHA256, .tls), (.scramSHA1, .tls): return offer.bindsChannel ? .unused : .notOffered
    case (.plain, .tls): return allowsPlain ? .unused : nil
    case (.scramSHA256Plus, .plain), (.scramSHA1Plus, .plain), (.plain, .plain): return nil
    case (.scramSHA256, .plain), (.scramSHA1, .plain): return .unused
    }
  }
}

extension SASLOffer {
  fileprivate func has(_ mechanism: SASLMechanism) -> Bool {
    mechanisms.contains { $0.hasSameBytes(as: mechanism.rawValue) }
  }

  /// Whether any mechanism binds to a channel, also one that this client does not speak.
  fileprivate var bindsChannel: Bool {
    mechanisms.contains { $0.utf8.suffix(5).elementsEqual("-PLUS".utf8) }
  }

  fileprivate var hasServerEndPoint: Bool {
    channelBindings?.contains { $0.hasSameBytes(as: ChannelBinding.serverEndPointType) } == true
  }
}
