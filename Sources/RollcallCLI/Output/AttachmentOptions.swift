import ArgumentParser
import ConversationCore
import Rollcall

/// The option that writes the pictures, recordings and files of messages.
struct AttachmentOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Write the pictures, recordings and files whose bytes are in the log into this folder, each \
      under its digest.
      """, valueName: "folder"), completion: .directory)
  var attachments: String?

  /// Writes the files of messages if the option is given, and prints a note with their number.
  func write(_ messages: some Sequence<Message>, of opened: OpenedSource) throws {
    guard let attachments else { return }
    var counts = Counts()
    // The same picture may be in many messages.
    var names: Set<String> = []
    let folder = try Self.open(attachments)
    for message in messages {
      for attachment in message.attachments where attachment.isInLog {
        let media = try opened.naming { try opened.timeline.media(of: attachment) }
        guard let media, names.insert(media.fileName).inserted else { continue }
        try counts.add(Self.write(media, to: folder))
      }
    }
    Terminal.note("\(attachments): \(counts.sentence)")
  }

  private static func open(_ path: String) throws -> AttachmentFolder {
    do {
      return try AttachmentFolder(path)
    } catch {
      throw Failure("\(error)")
    }
  }

  /// Nil if something else has the name, which is left as it is.
  private static func write(
    _ media: MediaBytes, to folder: AttachmentFolder
  ) throws -> AttachmentFolder.Outcome? {
    do {
      return try folder.add(media)
    } catch AttachmentFolderError.other(let path) {
      Terminal.note("\(AttachmentFolderError.other(path))")
      return nil
    } catch {
      throw Failure("\(error)")
    }
  }

  private struct Counts {
    private var written = 0
    private var present = 0

    mutating func add(_ outcome: AttachmentFolder.Outcome?) {
      switch outcome {
      case .written: written += 1
      case .present: present += 1
      case nil: break
      }
    }

    var sentence: String {
      let files = "\(written.of("file")) written"
      return present == 0 ? files : "\(files), \(present) already there"
    }
  }
}
