/// What is wrong with a stanza: the condition of an error (RFC 6120 §8.3.3).
public enum StanzaCondition: Hashable, Sendable {
  /// `bad-request`: the stanza is malformed.
  case badRequest
  /// `conflict`: it clashes with something that exists.
  case conflict
  /// `feature-not-implemented`: the addressee cannot do that.
  case featureNotImplemented
  /// `forbidden`: the sender may not do that.
  case forbidden
  /// `gone`: the addressee is no longer at this address.
  case gone
  /// `internal-server-error`: the server is at fault.
  case internalServerError
  /// `item-not-found`: there is no such address or item.
  case itemNotFound
  /// `jid-malformed`: an address is not one.
  case jidMalformed
  /// `not-acceptable`: it does not meet the addressee's criteria.
  case notAcceptable
  /// `not-allowed`: no one may do that.
  case notAllowed
  /// `not-authorized`: the sender has to log in first.
  case notAuthorized
  /// `policy-violation`: a local rule is against it.
  case policyViolation
  /// `recipient-unavailable`: the addressee is offline.
  case recipientUnavailable
  /// `redirect`: the addressee is at another address for now.
  case redirect
  /// `registration-required`: the sender has to register first.
  case registrationRequired
  /// `remote-server-not-found`: the addressee's server cannot be found.
  case remoteServerNotFound
  /// `remote-server-timeout`: the addressee's server does not answer.
  case remoteServerTimeout
  /// `resource-constraint`: the server is too busy, or a limit is reached.
  case resourceConstraint
  /// `service-unavailable`: the addressee does not offer that.
  case serviceUnavailable
  /// `subscription-required`: the sender has to be subscribed first.
  case subscriptionRequired
  /// `undefined-condition`: none of the others.
  case undefinedCondition
  /// `unexpected-request`: not now.
  case unexpectedRequest
  /// A condition that the RFC does not have, by its name.
  case other(String)

  private static let defined: [StanzaCondition] = [
    .badRequest, .conflict, .featureNotImplemented, .forbidden, .gone, .internalServerError,
    .itemNotFound, .jidMalformed, .notAcceptable, .notAllowed, .notAuthorized, .policyViolation,
    .recipientUnavailable, .redirect, .registrationRequired, .remoteServerNotFound,
    .remoteServerTimeout, .resourceConstraint, .serviceUnavailable, .subscriptionRequired,
    .undefinedCondition, .unexpectedRequest,
  ]

  /// The condition with a name, such as `not-allowed`.
  public init(_ name: String) {
    self = Self.defined.first { $0.name == name } ?? .other(name)
  }

  /// The name of the element, such as `not-allowed`.
  public var name: String {
    switch self {
    case .badRequest: "bad-request"
    case .conflict: "conflict"
    case .featureNotImplemented: "feature-not-implemented"
    case .forbidden: "forbidden"
    case .gone: "gone"
    case .internalServerError: "internal-server-error"
    case .itemNotFound: "item-not-found"
    case .jidMalformed: "jid-malformed"
    case .notAcceptable: "not-acceptable"
    case .notAllowed: "not-allowed"
    case .notAuthorized: "not-authorized"
    case .policyViolation: "policy-violation"
    case .recipientUnavailable: "recipient-unavailable"
    case .redirect: "redirect"
    case .registrationRequired: "registration-required"
    case .remoteServerNotFound: "remote-server-not-found"
    case .remoteServerTimeout: "remote-server-timeout"
    case .resourceConstraint: "resource-constraint"
    case .serviceUnavailable: "service-unavailable"
    case .subscriptionRequired: "subscription-required"
    case .undefinedCondition: "undefined-condition"
    case .unexpectedRequest: "unexpected-request"
    case .other(let name): name
    }
  }
}

extension StanzaCondition: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name.
  public var description: String { name }

  /// The condition with a name.
  public init(stringLiteral name: String) { self.init(name) }
}
