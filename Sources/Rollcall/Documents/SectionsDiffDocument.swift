package import Captures

extension JSONValue {
  /// The difference of two contacts screens, as `rollcall diff --sections --json` prints it.
  package init(_ diff: SectionsDiff) {
    self = .object([
      "sections": .array(
        diff.sections.map { section in
          .object([
            "title": .string(section.id.title),
            "added": JSONValue(section.added.map(\.id)),
            "removed": JSONValue(section.removed.map(\.id)),
            "changed": JSONValue(section.changed.map(\.after.id)),
          ])
        })
    ])
  }
}
