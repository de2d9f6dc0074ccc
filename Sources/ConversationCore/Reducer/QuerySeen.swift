import RawBytes
import XMPPStanza

// Queries of ours and who may answer them (rules 6, 26, 27, 36 and 37).
extension Conversations {
  /// Reduces an `<iq/>`.
  mutating func querySeen(
    _ query: QueryStanza, _ direction: Direction, at position: RecordPosition
  ) {
    switch (direction, query.kind) {
    case (.outbound, .get), (.outbound, .set):
      guard let id = query.id, let subject = query.subject else { return }
      let page = ArchivePage(
        last: continued(subject, to: query.to), next: preceded(subject, to: query.to))
      withSession(position.connection) { session in
        session.queries.append(
          OpenQuery(
            id: id, to: query.to, sent: position.stamp,
            subject: AwaitedContent(
              kind: subject, content: query.kind == .set ? query.node : nil, page: page)))
      }
    case (.inbound, .result), (.inbound, .error): answerReceived(query, at: position)
    case (.inbound, .get), (.inbound, .set), (.outbound, .result), (.outbound, .error): break
    }
  }

  /// The last message of each conversation in the page that a query continues.
  private func continued(_ subject: QueryStanza.Subject, to address: JID?) -> [Int: Int] {
    guard case .archive(let request) = subject, let after = request.after,
      let archive = address?.bare ?? account
    else { return [:] }
    let page = answeredPages.last { page in
      page.archive == archive && page.lastID == ExactText(after)
    }
    return page?.last ?? [:]
  }

  /// The first message of each conversation in the page that a query precedes.
  private func preceded(_ subject: QueryStanza.Subject, to address: JID?) -> [Int: Int] {
    guard case .archive(let request) = subject, let before = request.before, !before.isEmpty,
      let archive = address?.bare ?? account
    else { return [:] }
    let page = answeredPages.last { page in
      page.archive == archive && page.firstID == ExactText(before)
    }
    if let page { return page.first }
    let id = ArchiveID(before, in: archive)
    for conversation in all.indices {
      if let number = message(archivedAs: id, in: conversation) { return [conversation: number] }
    }
    return [:]
  }

  private mutating func answerReceived(_ answer: QueryStanza, at position: RecordPosition) {
    guard let id = answer.id else { return }
    let session = sessions[position.connection]
    let owner = SessionOwner(account: account, resource: session?.jid?.resource)
    let index = session?.queries.firstIndex { query in
      query.id.hasSameBytes(as: id) && query.mayBeAnswered(by: answer.from, in: owner)
    }
    guard let index, let query = session?.queries[index] else { return }
    withSession(position.connection) { _ = $0.queries.remove(at: index) }
    answered(query, answer, at: position)
  }

  private mutating func answered(
    _ query: OpenQuery<AwaitedContent>, _ answer: QueryStanza, at position: RecordPosition
  ) {
    let isResult = answer.kind == .result
    switch query.subject.kind {
    case .archive(let request):
      pageEnded(query.subject.page, isFlipped: request.isFlipped, at: position)
      if isResult { archiveAnswered(request, query, answer, at: position) }
    case .uploadSlot(let name, let size, let mediaType):
      let slot = answer.node.child("slot", in: Namespace.upload)
      guard isResult,
        let url = slot?.child("get", in: Namespace.upload)?.filledAttribute("url")
      else { return }
      // The server makes the address up, so no message has it before this answer.
      slots[ExactText(url)] = UploadSlot(name: name, size: size, mediaType: mediaType)
    case .bits(let contentID):
      guard isResult, let data = answer.node.child("data", in: Namespace.bitsOfBinary) else {
        return
      }
      bitsReceived(data, contentID, from: answer.from, at: position)
    case .items(let node):
      itemsAnswered(node, isResult ? answer.node : nil, query, at: position)
    case .card: cardAnswered(isResult ? answer.node : nil, query, at: position)
    case .ownCard, .publication: if isResult { setAccepted(query, at: position) }
    }
  }

  /// Rule 27: bytes that answer a get of ours.
  private mutating func bitsReceived(
    _ data: XMPPElement, _ contentID: String, from sender: JID?, at position: RecordPosition
  ) {
    switch BitsOfBinary(data) {
    case .media(let media, let named) where named.hasSameBytes(as: contentID):
      var attachment = Attachment(media, source: .bob)
      attachment.contentID = contentID
      attachment.record = position.record
      bits[ExactText(contentID)] = attachment
      for number in lackingBits.removeValue(forKey: ExactText(contentID))?.numbers ?? [] {
        messages[number].fill(attachment)
      }
    case .media, .wrongDigest: report(.digestWrong, at: position, about: sender)
    case nil: break
    }
  }

  private mutating func archiveAnswered(
    _ request: QueryStanza.ArchiveRequest, _ query: OpenQuery<AwaitedContent>,
    _ answer: QueryStanza,
    at position: RecordPosition
  ) {
    guard let archive = query.to?.bare ?? account else { return }
    let fin = answer.node.child("fin", in: Namespace.archives)?.element
    let complete = fin?.attribute("complete")
    let isComplete = complete == "true" || complete == "1"
    let times = query.subject.page.results.compactMap(\.time)
    let isBackward = request.before != nil
    var start = request.start
    var end = request.end ?? position.time
    for result in [query.subject.page.results.first, query.subject.page.results.last] {
      guard let result, let time = result.time else { continue }
      archiveTimes.update(ArchiveID(result.id.text, in: archive), time)
    }
    var startsAfterUnknown = false
    if let after = request.after {
      let known = time(of: ArchiveID(after, in: archive))
      startsAfterUnknown = known == nil && start == nil
      // It has all that is after its first result, whatever it follows.
      start = known ?? start ?? times.min() ?? .max
    }
    if let before = request.before, !before.isEmpty {
      // Without the time of what it precedes, a page covers what it has.
      end = time(of: ArchiveID(before, in: archive)) ?? times.max() ?? start ?? .min
    }
    if !isComplete {
      // Nothing says which time an incomplete page without results covers.
      guard !times.isEmpty else { return }
      if isBackward { start = times.min() ?? end } else { end = times.max() ?? start }
    }
    answeredPages.append(
      AnsweredPage(
        archive: archive, with: request.with, start: start, end: end,
        startsAfterUnknown: startsAfterUnknown, answered: position,
        firstID: query.subject.page.results.first?.id, first: first(in: query.subject.page),
        lastID: query.subject.page.results.last?.id, last: query.subject.page.last))
  }

  /// The first message of each conversation in a page and the pages that it precedes.
  private func first(in page: ArchivePage) -> [Int: Int] {
    var first = page.next
    for number in page.results.reversed().compactMap(\.message) {
      first[messages[number].conversation] = number
    }
    return first
  }

  /// The time of what has an archive id; nil if it is not known.
  private func time(of id: ArchiveID) -> Int64? {
    if let time = archiveTimes[id] { return time }
    for conversation in all.indices {
      guard let number = named(.archive(id), in: conversation).first else { continue }
      // A correction has a later time than what it corrects.
      let version = messages[number].versions.first { $0.archiveIDs.contains(id) }
      return version?.time ?? messages[number].time
    }
    return nil
  }
}

extension Message {
  /// Adds bytes to the file that names them.
  fileprivate mutating func fill(_ found: Attachment) {
    for version in versions.indices {
      for index in versions[version].content.attachments.indices {
        let known = versions[version].content.attachments[index]
        guard known.contentID.hasSameBytes(as: found.contentID), !known.isInLog else { continue }
        versions[version].content.attachments[index] = found
      }
    }
  }
}
