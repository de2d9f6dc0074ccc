package import XMPPStanza

/// An `<iq/>` as far as conversations need it.
package struct QueryStanza: Sendable {
  package var kind: IQ.Kind
  package var id: String?
  package var from: JID?
  package var to: JID?
  /// What a get or set asks for; nil for anything that conversations do not need.
  package var subject: Subject?
  /// The stanza itself, for the content of an answer.
  package var node: XMPPElement

  /// The requests whose answers conversations need.
  package enum Subject: Hashable, Sendable {
    case archive(ArchiveRequest)
    /// A get of a card (XEP-0054).
    case card
    /// A set of our own card.
    case ownCard
    /// A set that publishes an item of ours at a node.
    case publication(node: String)
    /// A get of the items of a node (XEP-0060).
    case items(node: String)
    case uploadSlot(name: String?, size: Int?, mediaType: String?)
    /// A get of bytes by their content id (XEP-0231).
    case bits(contentID: String)
  }

  /// A query of an archive (XEP-0313).
  package struct ArchiveRequest: Hashable, Sendable {
    package var queryID: String?
    /// The other party that results are restricted to.
    package var with: JID?
    /// Bounds of the time, in milliseconds since 1970.
    package var start: Int64?
    package var end: Int64?
    /// The archive ids that the page follows or precedes; an empty `before` asks for the last page.
    package var after: String?
    package var before: String?
    package var isFlipped: Bool
  }

  init?(_ node: XMPPElement) {
    guard let stanza = IQ(node) else { return nil }
    (kind, id, from, to) = (stanza.kind, stanza.id, stanza.from, stanza.to)
    self.node = node.owned
    switch kind {
    case .get, .set: subject = Subject(in: node, isSet: kind == .set)
    case .result, .error: subject = nil
    }
  }
}

extension QueryStanza.Subject {
  fileprivate init?(in node: XMPPElement, isSet: Bool) {
    if let (query, namespace) = node.child("query", in: Namespace.archives) {
      self = .archive(QueryStanza.ArchiveRequest(query, namespace))
    } else if node.hasChild("vCard", in: Namespace.vCard) {
      self = isSet ? .ownCard : .card
    } else if isSet,
      let published = node.child("pubsub", in: Namespace.pubsub)?
        .child("publish", in: Namespace.pubsub), let name = published.filledAttribute("node")
    {
      self = .publication(node: name)
    } else if !isSet,
      let items = node.child("pubsub", in: Namespace.pubsub)?
        .child("items", in: Namespace.pubsub), let name = items.filledAttribute("node")
    {
      self = .items(node: name)
    } else if !isSet, let request = node.child("request", in: Namespace.upload) {
      self = .uploadSlot(
        name: request.filledAttribute("filename"), size: Int(count: request.attribute("size")),
        mediaType: request.filledAttribute("content-type"))
    } else if !isSet,
      let contentID = node.child("data", in: Namespace.bitsOfBinary)?
        .filledAttribute("cid")
    {
      self = .bits(contentID: contentID)
    } else {
      return nil
    }
  }
}

extension QueryStanza.ArchiveRequest {
  fileprivate init(_ query: XMPPElement, _ namespace: String) {
    queryID = query.filledAttribute("queryid")
    isFlipped = query.hasChild("flip-page", in: namespace)
    if let set = query.child("set", in: Namespace.resultSets) {
      after = set.filledText(ofChild: "after", in: Namespace.resultSets)
      before = set.child("before", in: Namespace.resultSets)?.text.trimmedOfXMLSpace
    }
    guard let form = query.child("x", in: Namespace.dataForms) else { return }
    for field in form.children("field", in: Namespace.dataForms) {
      let value = field.filledText(ofChild: "value", in: Namespace.dataForms)
      switch field.attribute("var") {
      case "with": with = value.flatMap { try? JID(parsing: $0) }
      case "start": start = StampReading.time(value)
      case "end": end = StampReading.time(value)
      default: break
      }
    }
  }
}
