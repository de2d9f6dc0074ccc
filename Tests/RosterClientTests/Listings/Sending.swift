import Rollcall
import RosterClient

/// The listings of the article about sending and receiving.
func send(
  bytes: [UInt8], to bob: JID, in session: LiveSession, show: (XMPPElement, UInt64) -> Void
) async throws {
  let picture = OutgoingFile(bytes, name: "cat.png")
  try await session.send(picture, to: bob)

  let message = ChatMessage("你好,在吗?", to: bob)
  try await session.send(message)  // returns once the server has it
  try await session.send(message.corrected(to: "你好!在吗?"))
  for await stanza in await session.stanzas() where stanza.element.name.local == "message" {
    show(stanza.element, stanza.stamp.record)
  }
}

/// The listing about requests of others.
func answer(in session: LiveSession) async throws {
  let stanzas = await session.stanzas()
  await session.answerRequests(in: ["jabber:iq:version"])
  for await stanza in stanzas {
    guard stanza.element.value(of: "type") == "get",
      stanza.element.firstChild("query", in: "jabber:iq:version") != nil
    else { continue }
    let name = XMPPElement.element("name", "jabber:iq:version", text: "Contacts")
    try await session.answer(stanza, with: .element("query", "jabber:iq:version", [], [name]))
  }
}
