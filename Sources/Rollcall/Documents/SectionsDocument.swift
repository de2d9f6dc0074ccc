package import Captures
package import ContactSections
package import ConversationCore
package import RosterCore
import XMPPStanza

/// A contacts screen as `rollcall sections --json` prints it.
package struct SectionsDocument {
  private let index: SectionIndex
  private let roster: Roster
  private let showsNameSources: Bool
  /// The cards and avatars to show, by address; nil to show none.
  private let cards: [BareJID: [Card]]?
  private let avatars: [BareJID: JSONValue]

  /// A screen of a roster.
  ///
  /// - Parameters:
  ///   - showsNameSources: whether each contact says where its name comes from.
  ///   - conversations: what has the cards and avatars to show; nil to show none.
  package init(
    _ index: SectionIndex, of roster: Roster, showsNameSources: Bool,
    cardsOf conversations: Conversations? = nil
  ) {
    self.index = index
    self.roster = roster
    self.showsNameSources = showsNameSources
    // An occupant of a room is no contact.
    cards = conversations.map { conversations in
      Dictionary(
        grouping: conversations.cards.all.filter { $0.jid.resource == nil }, by: \.jid.bare)
    }
    var avatars: [BareJID: JSONValue] = [:]
    if let table = conversations?.avatars {
      for avatar in table.all where avatar.jid.resource == nil {
        avatars[avatar.jid.bare] = JSONValue(avatar, isKnown: table.isKnown(avatar))
      }
    }
    self.avatars = avatars
  }

  /// All sections in order, and the titles of the index at the side.
  package var screen: JSONValue {
    // A contact looks the same in each of its groups.
    var known: [String: JSONValue] = [:]
    return .object([
      "sections": .array((0..<index.sectionCount).map { section($0, &known) }),
      "index": JSONValue(index.indexTitles.map(\.title)),
    ])
  }

  /// The contacts that a search found, the best first, as one section.
  package func hits(_ contacts: [ListedContact]) -> JSONValue {
    .object([
      "sections": .array([
        .object([
          "title": .string(""), "kind": .string("search"),
          "contacts": .array(contacts.map(contact)),
        ])
      ]),
      "index": .array([]),
    ])
  }

  private func section(_ number: Int, _ known: inout [String: JSONValue]) -> JSONValue {
    let id = index.section(number)
    var members = ["title": JSONValue.string(id.title), "kind": .string(id.kind)]
    switch id {
    case .group(let group, let letter):
      members["group"] = .string(group.name)
      members["letter"] = JSONValue(letter?.title)
    case .ungrouped(let letter):
      members["group"] = .null
      members["letter"] = JSONValue(letter?.title)
    case .requests, .starred, .index: break
    }
    var requests: [JSONValue] = []
    var contacts: [JSONValue] = []
    for row in index.rows(inSection: number) {
      switch row {
      case .request(let request): requests.append(Self.request(request))
      case .contact(let contact):
        let value = known[contact.id] ?? self.contact(contact)
        known[contact.id] = value
        contacts.append(value)
      }
    }
    if id == .requests {
      members["requests"] = .array(requests)
    } else {
      members["contacts"] = .array(contacts)
    }
    return .object(members)
  }

  private static func request(_ request: ListedRequest) -> JSONValue {
    .object([
      "jid": .string(request.id), "nick": JSONValue(request.nick),
      "text": JSONValue(request.text), "since": JSONValue(request.since),
    ])
  }

  private func contact(_ contact: ListedContact) -> JSONValue {
    let reading = PinyinReader.reading(of: contact.userReading ?? contact.displayName)
    let jid = try? BareJID(parsing: contact.id)
    let best = jid.flatMap { roster.presence(of: $0).best }
    var members: [String: JSONValue] = [
      "jid": .string(contact.id), "displayName": .string(contact.displayName),
      "reading": .string(reading.pinyin),
      "presence": JSONValue(best?.presence.availability.show.rawValue),
    ]
    if showsNameSources, let jid {
      let name = roster.name(of: jid)
      members["nameFrom"] = .object([
        "source": .string(name.source.rawValue), "record": JSONValue(name.record),
      ])
    }
    if let cards, let jid {
      members["cards"] = .array(cards[jid]?.map { JSONValue($0) } ?? [])
      members["avatar"] = avatars[jid] ?? .null
    }
    return .object(members)
  }
}

extension SectionID {
  /// What the section is, in a word.
  package var kind: String {
    switch self {
    case .requests: "requests"
    case .starred: "starred"
    case .group: "group"
    case .ungrouped: "ungrouped"
    case .index: "index"
    }
  }
}
