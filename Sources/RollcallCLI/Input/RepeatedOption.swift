package import ArgumentParser

/// Refuses an option that is given twice although its command uses only one value. The argument
/// parser would use the last one without a word.
package enum RepeatedOption {
  /// Throws `Failure` if an option is repeated that does not take several values.
  ///
  /// - Parameter arguments: The command line without the name of the program.
  package static func check(_ arguments: [String], of program: any ParsableCommand.Type) throws {
    let words = arguments.prefix { $0 != "--" }
    // Describing a command takes longer than parsing most command lines.
    guard words.count(where: isOption) > 1, let name = words.first,
      let command = program.configuration.subcommands.first(where: {
        $0.configuration.commandName == name
      })
    else { return }
    let options = try CommandDescription.of(command).arguments.filter { $0.kind == .option }
    if let sentence = sentence(words.dropFirst(), options) { throw Failure(sentence) }
  }

  private static func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" }

  /// Says which option is repeated, and with which values; nil if none is.
  static func sentence(
    _ words: some Sequence<String>, _ options: [CommandDescription.Argument]
  ) -> String? {
    var given = [[(name: String, value: String)]](repeating: [], count: options.count)
    var words = words.makeIterator()
    while let word = words.next() {
      guard isOption(word) else { continue }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard
        let option = options.firstIndex(where: { option in
          (option.names ?? []).contains { $0.written == name }
        })
      else { continue }
      // The value of an option can look like another option, such as that of --from.
      let value = parts.count > 1 ? String(parts[1]) : words.next() ?? ""
      given[option].append((name, value))
    }
    for (option, all) in zip(options, given) where !option.isRepeating && all.count > 1 {
      let values = all.map(\.value).joined(separator: ", ")
      let times = all.count == 2 ? "twice" : "\(all.count) times"
      let names = Set(all.map(\.name)).sorted()
      return names.count == 1
        ? "\(names[0]) is given \(times) (\(values)): give it once"
        : "\(names.joined(separator: " and ")) are one option, given \(times) (\(values)): "
          + "give it once"
    }
    return nil
  }
}
