package import Captures
package import XMPPStanza

extension JSONValue {
  /// An account and its connections, as `rollcall connections --json` lists them.
  package init(_ connections: [ConnectionStory], of account: BareJID?) {
    self = .object([
      "account": JSONValue(account?.text), "connections": .array(connections.map { JSONValue($0) }),
    ])
  }

  private init(_ story: ConnectionStory) {
    self = .object([
      "id": .integer(Int64(story.id.number)), "name": JSONValue(story.name),
      "resource": JSONValue(story.resources.last), "resources": JSONValue(story.resources),
      "first": JSONValue(story.first.record), "firstTime": JSONValue(time: story.first.time),
      "last": JSONValue(story.last.record), "lastTime": JSONValue(time: story.last.time),
      "end": .string(story.end.rawValue),
    ])
  }
}
