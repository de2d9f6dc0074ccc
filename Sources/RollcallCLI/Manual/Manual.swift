package import ArgumentParser
import Foundation
import Rollcall

/// The manual: a page for the program and one for each command, generated from the help texts, so
/// that there is only one text to maintain. The output is deterministic.
package struct Manual {
  private let program: CommandDescription
  private let commands: [CommandDescription]

  /// The manual of a program.
  package init(of program: any ParsableCommand.Type) throws {
    self.program = try CommandDescription.of(program)
    commands = self.program.subcommands.filter { $0.shouldDisplay && $0.commandName != "help" }
  }

  /// Writes the page of the program and those of its own commands.
  package func write(to folder: String) throws {
    try write(programPage, program.commandName, to: folder)
    try writeCommands(to: folder) { Companion.providing($0.commandName) == nil }
  }

  /// Writes only the pages of the commands; another program writes the page of the program.
  package func writeCommands(to folder: String) throws {
    try writeCommands(to: folder) { _ in true }
  }

  private func writeCommands(
    to folder: String, where isWanted: (CommandDescription) -> Bool
  ) throws {
    for command in commands where isWanted(command) {
      try write(page(of: command), pageName(command), to: folder)
    }
  }

  private func write(_ page: String, _ name: String, to folder: String) throws {
    try Failure.naming(folder) {
      try Data(page.utf8).write(to: URL(filePath: "\(folder)/\(name).1"))
    }
  }

  private func pageName(_ command: CommandDescription) -> String {
    "\(program.commandName)-\(command.commandName)"
  }

  // MARK: The pages

  private var programPage: String {
    var page = begun(program.commandName, program)
    page.line(
      .bold(program.commandName), .plain(" "), .italic("<command>"), .plain(" [options] …"))
    let help = HelpText(program.discussion)
    describe(help, in: &page)
    page.macro("SH", "COMMANDS")
    for group in RollcallCommand.configuration.groupedSubcommands {
      page.macro("SS", group.name)
      for name in group.subcommands.compactMap({ $0.configuration.commandName }) {
        guard let command = commands.first(where: { $0.commandName == name }) else { continue }
        page.macro("TP")
        page.line(.bold(pageName(command)), .plain("(1)"))
        page.line(command.abstract)
      }
    }
    list(program.arguments, in: &page)
    finish(help, in: &page)
    page.macro("SH", "SEE ALSO")
    page.line("Each command has a page of its own; rollcall help COMMAND says the same.")
    return page.text
  }

  private func page(of command: CommandDescription) -> String {
    var page = begun(pageName(command), command)
    page.line(synopsis(command))
    let help = HelpText(command.discussion)
    describe(help, in: &page)
    list(command.arguments, in: &page)
    finish(help, in: &page)
    page.macro("SH", "SEE ALSO")
    page.line(.bold(program.commandName), .plain("(1)"))
    return page.text
  }

  // MARK: Their parts

  /// A page up to the heading of the synopsis.
  private func begun(_ name: String, _ command: CommandDescription) -> RoffPage {
    var page = RoffPage()
    page.macro(
      "TH", name.uppercased(), "1", "", "rollcall \(RollcallVersion.current)", "Rollcall Manual")
    page.macro("SH", "NAME")
    let abstract =
      command.abstract.hasSuffix(".") ? command.abstract.dropLast() : command.abstract[...]
    page.line("\(name) - \(abstract)")
    page.macro("SH", "SYNOPSIS")
    return page
  }

  private func synopsis(_ command: CommandDescription) -> [RoffPage.Span] {
    var spans: [RoffPage.Span] = [
      .bold("\(program.commandName) \(command.commandName)"), .plain(" [options]"),
    ]
    for argument in command.arguments where argument.shouldDisplay {
      let dots = argument.isRepeating ? "…" : ""
      switch argument.kind {
      case .positional where argument.isOptional:
        spans += [.plain(" ["), .italic(argument.value), .plain("]\(dots)")]
      case .positional:
        spans += [.plain(" "), .italic(argument.value), .plain(dots)]
      case .option where !argument.isOptional:
        spans += [
          .plain(" "), .bold(argument.names?.first?.written ?? ""), .plain(" "),
          .italic(argument.value),
        ]
      case .option, .flag: break
      }
    }
    return spans
  }

  private func describe(_ help: HelpText, in page: inout RoffPage) {
    guard !help.paragraphs.isEmpty else { return }
    page.macro("SH", "DESCRIPTION")
    for (number, paragraph) in help.paragraphs.enumerated() {
      if number > 0 { page.macro("PP") }
      for line in paragraph {
        let item = line.drop { $0 == " " }
        // An indented line is a list item.
        if item.count < line.count { page.macro("IP", "", "4") }
        page.line(String(item))
      }
    }
  }

  private func list(_ arguments: [CommandDescription.Argument], in page: inout RoffPage) {
    let shown = arguments.filter(\.shouldDisplay)
    let groups = [("ARGUMENTS", true), ("OPTIONS", false)].map { title, isPositional in
      (title, shown.filter { ($0.kind == .positional) == isPositional })
    }
    for (title, arguments) in groups where !arguments.isEmpty {
      page.macro("SH", title)
      for argument in arguments {
        page.macro("TP")
        page.line(head(of: argument))
        page.line(
          [argument.abstract ?? "", argument.values ?? ""].filter { !$0.isEmpty }
            .joined(separator: " "))
      }
    }
  }

  private func head(of argument: CommandDescription.Argument) -> [RoffPage.Span] {
    var spans = (argument.names ?? []).enumerated().flatMap { number, name in
      (number > 0 ? [RoffPage.Span.plain(", ")] : []) + [.bold(name.written)]
    }
    if argument.kind == .option { spans.append(.plain(" ")) }
    if argument.kind != .flag { spans.append(.italic(argument.value)) }
    return spans
  }

  private func finish(_ help: HelpText, in page: inout RoffPage) {
    page.macro("SH", "EXIT STATUS")
    for (code, meaning) in help.exitCodes {
      page.macro("TP")
      page.line(.bold(code))
      page.line(meaning)
    }
    page.macro("SH", "EXAMPLES")
    page.macro("EX")
    for example in help.examples { page.line(example) }
    page.macro("EE")
  }
}
