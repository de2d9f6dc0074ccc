import ArgumentParser
import ConversationCore
import Rollcall

/// The option that searches messages by what they say.
struct SearchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only messages that say this, in characters, pinyin or first letters.", valueName: "text"))
  var search: String?

  func validate() throws {
    if let search, ConversationSearch(search) == nil {
      throw ValidationError("--search takes a text to look for")
    }
  }

  /// The messages that match, by conversation; conversations without one are left out.
  func found(in view: ConversationView) -> [MessageList.Part] {
    view.shown.map {
      (conversation: $0, numbers: filter($0.order, of: view.conversations))
    }
    .filter { !$0.numbers.isEmpty }
  }

  /// The numbers of the messages that match, in order; all without the option.
  func filter(_ numbers: [Int], of conversations: Conversations) -> [Int] {
    guard let search = search.flatMap({ ConversationSearch($0) }) else { return numbers }
    return numbers.filter { search.matches(conversations.messages[$0]) }
  }
}
