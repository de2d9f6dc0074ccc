import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("The conditions of errors") struct StanzaConditionTests {
  /// RFC 6120 §8.3.3.1 to §8.3.3.22.
  static let defined = [
    "bad-request", "conflict", "feature-not-implemented", "forbidden", "gone",
    "internal-server-error", "item-not-found", "jid-malformed", "not-acceptable", "not-allowed",
    "not-authorized", "policy-violation", "recipient-unavailable", "redirect",
    "registration-required", "remote-server-not-found", "remote-server-timeout",
    "resource-constraint", "service-unavailable", "subscription-required", "undefined-condition",
    "unexpected-request",
  ]

  @Test("Each condition of the RFC has a constant, and another one keeps its name")
  func names() {
    let constants: [StanzaCondition] = [
      .badRequest, .conflict, .featureNotImplemented, .forbidden, .gone, .internalServerError,
      .itemNotFound, .jidMalformed, .notAcceptable, .notAllowed, .notAuthorized, .policyViolation,
      .recipientUnavailable, .redirect, .registrationRequired, .remoteServerNotFound,
      .remoteServerTimeout, .resourceConstraint, .serviceUnavailable, .subscriptionRequired,
      .undefinedCondition, .unexpectedRequest,
    ]
    #expect(constants == Self.defined.map { StanzaCondition($0) })
    #expect(StanzaCondition("Not-Allowed") != .notAllowed)
    #expect(("too-many-items" as StanzaCondition).name == "too-many-items")
  }

  @Test("An error in a stanza is read, with its type and its words")
  func stanza() {
    let error = StanzaError(
      element(
        """
        <iq type='error' id='a'><error type='modify'><not-acceptable \
        xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
        <text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>too long</text></error></iq>
        """))
    #expect(error == StanzaError(type: "modify", condition: .notAcceptable, text: "too long"))
    #expect(error.map { "\($0)" } == "not-acceptable: “too long”")
    #expect(StanzaError(element("<iq type='result' id='a'/>")) == nil)
    #expect(StanzaError(element("<iq type='error' id='a'/>")) == StanzaError(condition: nil))
  }

  @Test("Errors say in `localizedDescription` what is wrong")
  func localized() throws {
    let bob = try BareJID(parsing: "bob@example.test")
    let errors: [any Error] = [
      CommandRefusal.notInRoster(bob), JIDError.emptyDomain, StanzaError(condition: .forbidden),
      PointError.noTimes,
    ]
    #expect(
      errors.map(\.localizedDescription) == [
        "bob@example.test is not in your roster", "the domain is empty or has an empty label",
        "forbidden", PointError.noTimes.description,
      ])
  }
}
