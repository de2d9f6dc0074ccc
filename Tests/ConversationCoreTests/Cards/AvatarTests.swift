import TestSupport
import Testing
import XMPPStanza

@testable import ConversationCore

/// Rule 37: metadata, else the hash in presence.
@Suite("Avatars")
struct AvatarTests {
  private static let bob = address("bob@example.test")
  private static let a = String(repeating: "a1", count: 20)
  private static let b = String(repeating: "b2", count: 20)

  private static func metadata(_ content: String) -> XMPPElement {
    element("<metadata xmlns='urn:xmpp:avatar:metadata'>\(content)</metadata>")
  }

  private static func update(_ content: String) -> XMPPElement {
    element("<x xmlns='vcard-temp:x:update'>\(content)</x>")
  }

  private static func photo(_ text: String) -> XMPPElement { update("<photo>\(text)</photo>") }

  @Test("Metadata is read with what it claims")
  func metadata() {
    var avatars = AvatarTable()
    avatars.metadataSeen(
      Self.metadata("<info id='\(Self.a.uppercased())' bytes='3172' type='image/png'/>"),
      of: Self.bob, record: 9)
    let avatar = avatars.all[0]
    #expect(avatar.jid == Self.bob && avatar.sha1 == Self.a && avatar.source == .pep)
    #expect(avatar.mediaType == "image/png" && avatar.size == 3172 && avatar.record == 9)
    #expect(!avatars.isKnown(avatar))
  }

  @Test("A picture that is published with PEP counts before one that is elsewhere")
  func elsewhere() {
    var avatars = AvatarTable()
    let there = "<info id='\(Self.a)' bytes='9' type='image/gif' url='https://example.test/a'/>"
    avatars.metadataSeen(Self.metadata(there), of: Self.bob, record: 1)
    #expect(avatars.all.map(\.sha1) == [Self.a])
    avatars.metadataSeen(Self.metadata(there + "<info id='\(Self.b)'/>"), of: Self.bob, record: 2)
    #expect(avatars.all.map(\.sha1) == [Self.b] && avatars.all[0].size == nil)
  }

  @Test("Metadata counts before the hash in presence, in either order", arguments: [true, false])
  func precedence(isFirst: Bool) {
    var avatars = AvatarTable()
    for isMetadata in [isFirst, !isFirst] {
      if isMetadata {
        avatars.metadataSeen(Self.metadata("<info id='\(Self.a)'/>"), of: Self.bob, record: 1)
      } else {
        avatars.presenceHashSeen(Self.photo(Self.b), of: Self.bob, record: 2)
      }
    }
    #expect(avatars.all.map(\.sha1) == [Self.a] && avatars.all.map(\.source) == [.pep])
  }

  @Test("Empty metadata means that there is no avatar, whatever presence says")
  func emptyMetadata() {
    var avatars = AvatarTable()
    avatars.presenceHashSeen(Self.photo(Self.b), of: Self.bob, record: 1)
    avatars.metadataSeen(Self.metadata(""), of: Self.bob, record: 2)
    #expect(avatars.all.map(\.sha1) == [nil] && avatars.all.map(\.source) == [.pep])
    #expect(!avatars.isKnown(avatars.all[0]))
  }

  /// XEP-0153 §3.2, table 1.
  @Test("An empty hash in presence means none, and a missing one says nothing")
  func presence() {
    var avatars = AvatarTable()
    avatars.presenceHashSeen(Self.update(""), of: Self.bob, record: 1)
    #expect(avatars.all.isEmpty)
    avatars.presenceHashSeen(Self.photo(" \(Self.a)\n"), of: Self.bob, record: 2)
    avatars.presenceHashSeen(Self.update(""), of: Self.bob, record: 3)
    #expect(avatars.all.map(\.sha1) == [Self.a] && avatars.all.map(\.record) == [2])
    avatars.presenceHashSeen(Self.photo(Self.a), of: Self.bob, record: 4)
    #expect(avatars.all.map(\.record) == [2])
    avatars.presenceHashSeen(Self.photo(""), of: Self.bob, record: 5)
    #expect(avatars.all.map(\.sha1) == [nil] && avatars.all.map(\.record) == [5])
  }

  @Test(
    "What is no digest says nothing",
    arguments: [
      "abc", String(repeating: "g", count: 40), String(repeating: "a", count: 41), "none",
    ])
  func noDigest(text: String) {
    var avatars = AvatarTable()
    avatars.presenceHashSeen(Self.photo(text), of: Self.bob, record: 1)
    avatars.metadataSeen(Self.metadata("<info id='\(text)'/>"), of: Self.bob, record: 2)
    #expect(avatars.all.isEmpty)
  }

  @Test("Elements of other namespaces say nothing")
  func otherNamespaces() {
    var avatars = AvatarTable()
    avatars.presenceHashSeen(
      Self.update("<photo xmlns='jabber:client'>\(Self.a)</photo>"), of: Self.bob, record: 1)
    #expect(avatars.all.isEmpty)
  }

  @Test("The bytes are known if an answer had their digest, under whatever id")
  func bytes() {
    // The digest of “foo”.
    let foo = "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33"
    var avatars = AvatarTable()
    avatars.presenceHashSeen(Self.photo(foo), of: Self.bob, record: 1)
    let bar = element("<data xmlns='urn:xmpp:avatar:data'>YmFy</data>")
    #expect(avatars.dataSeen(bar) != nil)
    #expect(!avatars.isKnown(avatars.all[0]))
    #expect(avatars.dataSeen(element("<data xmlns='urn:xmpp:avatar:data'>Zm9v</data>")) == foo)
    #expect(avatars.isKnown(avatars.all[0]))
    #expect(avatars.dataSeen(element("<data xmlns='urn:xmpp:avatar:data'>?</data>")) == nil)
  }

  @Test("Each occupant of a room has an avatar of its own, and avatars are sorted by address")
  func occupants() {
    var avatars = AvatarTable()
    let room = BareJID(prepared: "room@muc.example.test")
    for nick in ["b", "a"] {
      avatars.presenceHashSeen(
        Self.photo(nick == "a" ? Self.a : Self.b), of: JID(prepared: room, resource: nick),
        record: 1)
    }
    #expect(avatars.all.map(\.sha1) == [Self.a, Self.b])
  }
}
