import RawBytes
import XMPPStanza

// Cards and avatars (rules 36 and 37).
extension Conversations {
  mutating func cardAnswered(_ answer: XMPPElement?, _ query: OpenQuery, at position: RecordPosition)
  {
  }

  mutating func ownCardSet(_ query: OpenQuery, at position: RecordPosition) {}

  mutating func itemsAnswered(
    _ node: String, _ answer: XMPPElement?, _ query: OpenQuery, at position: RecordPosition
  ) {
    guard let items = answer?.child("pubsub", in: Namespace.pubsub)?
      .child("items", in: Namespace.pubsub)
    else { return }
    itemsReceived(items, from: query.to, position)
  }
}
