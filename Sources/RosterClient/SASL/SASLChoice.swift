import RawBytes
import XMPPStanza

/// The mechanism that a client chooses from an offer, and what it says about the channel.
///
/// A mechanism binds to the channel only if both sides agree on the type (XEP-0440): a server that
/// wants another type would take us for an attacker in the middle. PLAIN discloses the password, so
/// it is never chosen without TLS and without permission.
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

  /// Nil if the mechanism cannot be used.
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

  /// Whether any mechanism binds to a channel, including those that this client does not support.
  fileprivate var bindsChannel: Bool {
    mechanisms.contains { $0.utf8.suffix(5).elementsEqual("-PLUS".utf8) }
  }

  fileprivate var hasServerEndPoint: Bool {
    channelBindings?.contains { $0.hasSameBytes(as: ChannelBinding.serverEndPointType) } == true
  }
}
