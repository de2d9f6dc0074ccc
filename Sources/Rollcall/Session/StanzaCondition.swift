/// What is wrong with a stanza: a condition of RFC 6120 §8.3.3, or one that the RFC does not have.
public struct StanzaCondition: Hashable, Sendable {
  /// The name of the element, such as `not-allowed`.
  public let name: String

  /// The condition with a name, such as `not-allowed`.
  public init(_ name: String) { self.name = name }

  /// `bad-request`: the stanza is malformed.
  public static let badRequest: StanzaCondition = "bad-request"
  /// `conflict`: it clashes with something that exists.
  public static let conflict: StanzaCondition = "conflict"
  /// `feature-not-implemented`: the addressee cannot do that.
  public static let featureNotImplemented: StanzaCondition = "feature-not-implemented"
  /// `forbidden`: the sender may not do that.
  public static let forbidden: StanzaCondition = "forbidden"
  /// `gone`: the addressee is no longer at this address.
  public static let gone: StanzaCondition = "gone"
  /// `internal-server-error`: the server is at fault.
  public static let internalServerError: StanzaCondition = "internal-server-error"
  /// `item-not-found`: there is no such address or item.
  public static let itemNotFound: StanzaCondition = "item-not-found"
  /// `jid-malformed`: an address is not one.
  public static let jidMalformed: StanzaCondition = "jid-malformed"
  /// `not-acceptable`: it does not meet the addressee's criteria.
  public static let notAcceptable: StanzaCondition = "not-acceptable"
  /// `not-allowed`: no one may do that.
  public static let notAllowed: StanzaCondition = "not-allowed"
  /// `not-authorized`: the sender has to log in first.
  public static let notAuthorized: StanzaCondition = "not-authorized"
  /// `policy-violation`: a local rule is against it.
  public static let policyViolation: StanzaCondition = "policy-violation"
  /// `recipient-unavailable`: the addressee is offline.
  public static let recipientUnavailable: StanzaCondition = "recipient-unavailable"
  /// `redirect`: the addressee is at another address for now.
  public static let redirect: StanzaCondition = "redirect"
  /// `registration-required`: the sender has to register first.
  public static let registrationRequired: StanzaCondition = "registration-required"
  /// `remote-server-not-found`: the addressee's server cannot be found.
  public static let remoteServerNotFound: StanzaCondition = "remote-server-not-found"
  /// `remote-server-timeout`: the addressee's server does not answer.
  public static let remoteServerTimeout: StanzaCondition = "remote-server-timeout"
  /// `resource-constraint`: the server is too busy, or a limit is reached.
  public static let resourceConstraint: StanzaCondition = "resource-constraint"
  /// `service-unavailable`: the addressee does not offer that.
  public static let serviceUnavailable: StanzaCondition = "service-unavailable"
  /// `subscription-required`: the sender has to be subscribed first.
  public static let subscriptionRequired: StanzaCondition = "subscription-required"
  /// `undefined-condition`: none of the others.
  public static let undefinedCondition: StanzaCondition = "undefined-condition"
  /// `unexpected-request`: not now.
  public static let unexpectedRequest: StanzaCondition = "unexpected-request"
}

extension StanzaCondition: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name.
  public var description: String { name }

  /// The condition with a name.
  public init(stringLiteral name: String) { self.init(name) }
}
