import ArgumentParser
import ConversationCore
import Foundation
import Rollcall

/// The option that shows messages without what identifies people or what they wrote.
struct RedactionOptions: ParsableArguments {
  @Flag(
    help: """
      Replace addresses, names, texts, files and their digests with stand-ins, as export does; \
      equal originals get equal stand-ins.
      """)
  var redact = false

  /// Refuses to write the files that the stand-ins replace.
  func check(_ attachments: AttachmentOptions) throws {
    guard redact, attachments.attachments != nil else { return }
    throw ValidationError(
      "--attachments writes files as they are, and --redact hides them: choose one")
  }

  /// What to show of some conversations: they themselves, or the same ones of a redacted history.
  func shown(
    _ view: ConversationView, _ found: [MessageList.Part], of opened: OpenedSource,
    upTo point: LogPoint
  ) throws -> (view: ConversationView, found: [MessageList.Part]) {
    guard redact else { return (view, found) }
    return try opened.naming {
      let timeline = try opened.timeline.redacted(
        upTo: point, in: FileManager.default.temporaryDirectory)
      let redacted = try timeline.conversationView(upTo: timeline.record(at: .head(minus: 0)))
      // The redacted history is the same one: conversations and messages have the same numbers.
      let places = found.map { part in
        (view.conversations.index(of: part.conversation.key), part.numbers)
      }
      return (
        redacted,
        places.compactMap { number, numbers -> MessageList.Part? in
          guard let number, redacted.conversations.all.indices.contains(number) else { return nil }
          let conversation = redacted.conversations.all[number]
          let known = Set(conversation.order)
          return (conversation: conversation, numbers: numbers.filter { known.contains($0) })
        }
      )
    }
  }
}
