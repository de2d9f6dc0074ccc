/// The parts of a command's help text other than its options.
///
/// A paragraph that begins with “Examples:” contains indented command lines; one that begins with
/// “Exit codes:” explains the codes.
struct HelpText {
  private(set) var paragraphs: [[String]] = []
  private(set) var examples: [String] = []
  /// Each code or range of codes with its meaning.
  private(set) var exitCodes = [
    ("0", "done"), ("1", "the answer is no or nothing was found"), ("2", "bad usage or bad input"),
  ]

  init(_ discussion: String) {
    let lines = discussion.split(separator: "\n", omittingEmptySubsequences: false)
    for paragraph in lines.split(separator: "").map({ $0.map(String.init) }) {
      guard let first = paragraph.first else { continue }
      if first == "Examples:" || first == "Example:" {
        examples += paragraph.dropFirst().map { String($0.drop { $0 == " " }) }
      } else if first.hasPrefix("Exit codes: ") {
        exitCodes = Self.codes(paragraph.joined(separator: " "))
      } else {
        paragraphs.append(paragraph)
      }
    }
  }

  /// Parses the codes of a sentence such as “Exit codes: 0 done, 1 the answer is no, 2 bad usage.”
  private static func codes(_ sentence: String) -> [(String, String)] {
    var codes: [(String, String)] = []
    let text = sentence.dropFirst("Exit codes: ".count)
    for part in text.split(separator: ", ").map(String.init) {
      if let code = part.split(separator: " ").first, part.first?.isNumber == true {
        codes.append((String(code), String(part.dropFirst(code.count + 1))))
      } else if let last = codes.indices.last {
        codes[last].1 += ", " + part
      }
    }
    if let last = codes.indices.last, codes[last].1.hasSuffix(".") { codes[last].1.removeLast() }
    return codes
  }
}
