import Testing

extension RealServerTests {
  /// The handshake in every order, with the results that RFC 6121 §3 and Appendix A require.
  @Suite("Handshakes")
  struct Handshakes {
    @Test(
      "Both servers, both logs and the rules agree after every step", arguments: Servers.allCases,
      Handshake.all)
    func handshake(_ kind: Servers, _ handshake: Handshake) async throws {
      guard handshake.servers.contains(kind) else { return }
      try await handshake.play(on: Stage(kind))
    }
  }
}

extension Handshake {
  /// The shortest way to a mutual subscription.
  private static let friends: [Step] = [
    Step(.a, .asks, a: "none out", b: "- in"), Step(.b, .asks, a: "to in", b: "from out"),
    Step(.a, .accepts, a: "both", b: "both"),
  ]

  static let all = beginnings + ends + devices + blocking

  private static let beginnings = [
    Handshake(
      "A asks, B accepts, B asks back, A accepts",
      [
        Step(.a, .asks, a: "none out", b: "- in"), Step(.b, .grants, a: "to", b: "from"),
        Step(.b, .asks, a: "to in", b: "from out"), Step(.a, .accepts, a: "both", b: "both"),
      ]),
    Handshake(
      "B accepts, and so asks back",
      [
        Step(.a, .asks, a: "none out", b: "- in"), Step(.b, .accepts, a: "to in", b: "from out"),
        Step(.a, .accepts, a: "both", b: "both"),
      ]),
    Handshake(
      "Requests cross, A accepts first",
      [
        Step(.a, .asks, a: "none out", b: "- in"),
        Step(.b, .asksBlindly, a: "none out in", b: "none out in"),
        Step(.a, .accepts, a: "from out", b: "to in"), Step(.b, .accepts, a: "both", b: "both"),
      ]),
    Handshake(
      "Requests cross, and B rejects",
      [
        Step(.a, .asks, a: "none out", b: "- in"),
        Step(.b, .asksBlindly, a: "none out in", b: "none out in"),
        Step(.b, .rejects, a: "none in", b: "none out"), Step(.a, .grants, a: "from", b: "to"),
      ]),
    Handshake(
      "B is asked while offline",
      [
        Step(.b, .leaves, a: "-", b: "-"), Step(.a, .asks, a: "none out", b: "- in"),
        Step(.b, .returns, a: "none out", b: "- in"), Step(.b, .grants, a: "to", b: "from"),
      ]),
    Handshake(
      "A is answered while offline",
      [
        Step(.a, .asks, a: "none out", b: "- in"), Step(.a, .leaves, a: "none out", b: "- in"),
        Step(.b, .asks, a: "to in", b: "from out"), Step(.a, .returns, a: "to in", b: "from out"),
        Step(.a, .accepts, a: "both", b: "both"),
      ]),
    Handshake(
      "B approves in advance", on: [.prosody],
      [
        Step(.b, .approves, a: "-", b: "none"), Step(.a, .asks, a: "to", b: "from"),
      ]),
  ]

  private static let ends = [
    Handshake(
      "B rejects, A asks again and is accepted",
      [
        Step(.a, .asks, a: "none out", b: "- in"), Step(.b, .rejects, a: "none", b: "-"),
        Step(.a, .asks, a: "none out", b: "- in"), Step(.b, .grants, a: "to", b: "from"),
      ]),
    Handshake(
      "A cancels the request and asks again", on: [.prosody],
      [
        Step(.a, .asks, a: "none out", b: "- in"), Step(.a, .cancels, a: "none", b: "-"),
        Step(.a, .asks, a: "none out", b: "- in"),
      ]),
    Handshake(
      "A cancels the request, and ejabberd does not inform B", on: [.ejabberd],
      [
        Step(.a, .asks, a: "none out", b: "- in"),
        Step(.a, .cancels, a: "none", b: "-", unseen: [.b]),
        Step(.a, .asks, a: "none out", b: "- in"), Step(.b, .grants, a: "to", b: "from"),
      ]),
    Handshake(
      "A cancels the request while B is offline",
      [
        Step(.a, .asks, a: "none out", b: "- in"), Step(.b, .leaves, a: "none out", b: "- in"),
        Step(.a, .cancels, a: "none", b: "-"), Step(.b, .returns, a: "none", b: "-"),
      ]),
    Handshake(
      "Each withdraws what it had granted",
      friends + [
        Step(.b, .withdraws, a: "from", b: "to"), Step(.a, .withdraws, a: "none", b: "none"),
      ]),
    Handshake(
      "Each unsubscribes",
      friends + [
        Step(.a, .unsubscribes, a: "from", b: "to"), Step(.b, .unsubscribes, a: "none", b: "none"),
      ]),
    Handshake(
      "A grant is withdrawn from an offline user",
      friends + [
        Step(.a, .leaves, a: "both", b: "both"), Step(.b, .withdraws, a: "from", b: "to"),
        Step(.a, .returns, a: "from", b: "to"),
      ]),
    Handshake(
      "One removes the other, then the other too",
      friends + [Step(.a, .removes, a: "-", b: "none"), Step(.b, .removes, a: "-", b: "-")]),
    Handshake(
      "A removes B while the request is out", on: [.prosody],
      [Step(.a, .asks, a: "none out", b: "- in"), Step(.a, .removes, a: "-", b: "-")]),
    Handshake(
      "A removes B, and ejabberd keeps the request for B (RFC 6121 §2.5.2 allows that)",
      on: [.ejabberd],
      [
        Step(.a, .asks, a: "none out", b: "- in"), Step(.a, .removes, a: "-", b: "- in"),
        Step(.b, .grants, a: "-", b: "from"),
      ]),
    Handshake(
      "A removed contact asks again",
      friends + [
        Step(.a, .removes, a: "-", b: "none"), Step(.b, .asks, a: "- in", b: "none out"),
        Step(.a, .asks, a: "from out", b: "to in"), Step(.b, .accepts, a: "both", b: "both"),
      ]),
  ]

  private static let devices = [
    Handshake(
      "B's other device answers",
      [
        Step(.b2, .leaves, a: "-", b: "-"), Step(.a, .asks, a: "none out", b: "- in"),
        Step(.b2, .returns, a: "none out", b: "- in"), Step(.b2, .grants, a: "to", b: "from"),
        Step(.b, .asks, a: "to in", b: "from out"), Step(.a, .rejects, a: "to", b: "from"),
      ]),
    Handshake(
      "B's other device rejects, which the first sees because the request is not sent again",
      [
        Step(.a, .asks, a: "none out", b: "- in"),
        Step(.b2, .rejects, a: "none", b: "-", unseen: [.b]),
        Step(.b, .leaves, a: "none", b: "-"), Step(.b, .returns, a: "none", b: "-"),
      ]),
    Handshake(
      "B's other device removes A",
      friends + [
        Step(.b2, .removes, a: "none", b: "-"), Step(.b2, .asks, a: "none in", b: "none out"),
        Step(.a, .grants, a: "from", b: "to"),
      ]),
  ]

  private static let blocking = [
    Handshake(
      "Friends who block and unblock each other stay friends",
      friends + [
        Step(.a, .blocks, a: "both", b: "both"), Step(.b, .blocks, a: "both", b: "both"),
        Step(.a, .unblocks, a: "both", b: "both"), Step(.b, .unblocks, a: "both", b: "both"),
        Step(.a, .removes, a: "-", b: "none"),
      ])
  ]
}
