import ContactSections
import Rollcall

extension SectionsDiff {
  /// The difference for people, like a diff of code with sections in place of files.
  var lines: [String] {
    guard !isEmpty else { return ["no difference"] }
    return sections.flatMap { section in
      let title = section.id == .requests ? "new requests" : section.id.title
      return ["", Style.bold(title.visible)]
        + section.removed.map { Style.red("  - \($0.text.visible)") }
        + section.added.map { Style.green("  + \($0.text.visible)") }
        + section.changed.map {
          Style.yellow("  ~ \($0.before.text.visible) → \($0.after.text.visible)")
        }
    }.dropFirst().map { $0 }
  }
}
