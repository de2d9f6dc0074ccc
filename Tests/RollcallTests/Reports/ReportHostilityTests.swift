import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

/// Text from contacts, servers and the authors of a capture, in every place that they control.
@Suite("A report of a hostile session") struct ReportHostilityTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let plants = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onload='alert(1)",
    "]]>", "<!--", "--><b>", "</style><script>alert(1)</script>", "</title></pre></details></li>",
    "&lt;script&gt;", "&#60;script&#62;&amp;amp;", "&nbsp;&bogus;", "<![CDATA[x]]>", "<?php x?>",
    "javascript:alert(1)", "\" href=\"https://evil.test/", "<svg/onload=alert(1)>", "`${x}`{{x}}",
    "a\u{202E}b\u{2066}c\u{200F}d\u{61C}e", "a\u{200B}\u{AD}\u{FEFF}\u{2060}b", "a\u{85}\u{9B}31mb",
    "a\u{2028}b\u{2029}c", "x\u{E0041}\u{E007F}y\u{115F}\u{3164}",
  ]

  private static func escaped(_ text: String) -> String {
    var text = text
    for (plain, escape) in [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("'", "&apos;")] {
      text = text.replacing(plain, with: escape)
    }
    return text
  }

  /// A session with a text in every field that can contain one.
  private func log(_ plant: String) throws -> EventLog {
    let x = Self.escaped(plant)
    let me = "alice@example.test/\(plant)"
    let stanzas = [
      ("out", "<iq type='get' id='\(x)'><query xmlns='jabber:iq:roster' ver=''/></iq>"),
      (
        "in",
        "<iq type='result' id='\(x)'><query xmlns='jabber:iq:roster' ver='\(x)'><item "
          + "jid='bob@example.test' name='n\(x)' subscription='both'><group>g\(x)</group></item>"
          + "<item jid='\(x)@@'/><item jid='zoe@example.test' subscription='s\(x)'/></query></iq>"
      ),
      (
        "in",
        "<presence from='bob@example.test/r\(x)'><status>s\(x)</status><show>\(x)</show></presence>"
      ),
      (
        "in",
        "<presence type='subscribe' from='eve@example.test'><status>w\(x)</status>"
          + "<nick xmlns='http://jabber.org/protocol/nick'>k\(x)</nick></presence>"
      ),
      ("in", "<presence type='\(x)' from='eve@example.test'/>"),
      ("in", "<presence from='\(x)@@' type='subscribe'/>"),
      ("in", "<message from='bob@example.test/r'><x xmlns='u:\(x)' a='\(x)'>\(x)</x></message>"),
      (
        "in",
        "<message from='bob@example.test'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
          + "<items node='http://jabber.org/protocol/nick'><item><nick "
          + "xmlns='http://jabber.org/protocol/nick'>k\(x)</nick></item></items></event></message>"
      ),
      (
        "in",
        "<iq type='set' id='1' from='m@evil.test/\(x)'><query xmlns='jabber:iq:roster'>"
          + "<item jid='m@evil.test' name='\(x)'/></query></iq>"
      ),
      (
        "in",
        "<iq type='set' id='2'><query xmlns='jabber:iq:roster'><item jid='bob@example.test' "
          + "name='m\(x)' subscription='to'><group>h\(x)</group></item></query></iq>"
      ),
      ("in", "<iq type='error' id='\(x)'><error type='cancel'><text>\(x)</text></error></iq>"),
    ]
    var lines: [[String: Any]] = [
      ["rollcall-capture": 1, "account": me],
      ["t": 1, "stream": "connected", "to": plant], ["t": 1, "stream": "secured", "tls": plant],
      ["t": 1, "stream": "authenticated", "mechanism": plant],
      ["t": 1, "stream": "opened", "jid": me],
      ["t": 1, "c": 2, "name": "c" + plant, "stream": "opened", "jid": me + "2"],
      ["t": 1, "bookmark": "m" + plant, "back": 1],
    ]
    lines += stanzas.map { ["t": 2, "dir": $0.0, "xml": $0.1] }
    // Enough of them to be folded.
    lines += (1...9).map { number in
      [
        "t": 3, "dir": "in",
        "xml": "<presence from='bob@example.test/\(number)\(x)'><status>\(x)</status></presence>",
      ]
    }
    lines.append(["t": 4, "stream": "closed", "reason": plant])
    let text = try lines.map { line in
      String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self)
    }.joined(separator: "\n")
    let path = folder.file("\(UUID()).jsonl")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try importedLog(of: path, nil, in: folder)
  }

  /// The elements that a page may have; any other one was injected.
  private static let tags: Set<String> = [
    "a", "article", "body", "code", "dd", "desc", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "g", "h1", "h2", "h3", "head", "header", "html", "input",
    "label", "legend", "li", "main", "meta", "nav", "ol", "p", "path", "pre", "rect", "section",
    "span", "strong", "style", "summary", "svg", "table", "tbody", "td", "text", "th", "thead",
    "title", "tr", "ul",
  ]
  /// The attributes that a page may have.
  private static let attributes: Set<String> = [
    "aria-hidden", "aria-label", "aria-labelledby", "autocomplete", "charset", "checked", "class",
    "content", "d", "for", "height", "href", "http-equiv", "id", "lang", "name",
    "preserveAspectRatio", "role", "scope", "tabindex", "text-anchor", "type", "viewBox", "width",
    "x", "xmlns", "y",
  ]

  @Test("The page is well formed, and injected text is nothing but text", arguments: plants)
  func nothingRuns(_ plant: String) throws {
    let page = try ReportPage(of: Timeline(log(plant)), name: plant + ".log")
    #expect(Set(page.elements.map(\.name)).subtracting(Self.tags) == [])
    #expect(Set(page.elements.flatMap(\.attributes.keys)).subtracting(Self.attributes) == [])
    #expect(page.links.filter { !$0.hasPrefix("#") } == [])
    #expect(page.elements(named: "style").map(\.text) == [ReportStyle.standard.text])
    #expect(page.elements(named: "title").first?.text.contains("alice@example.test") == true)
    let policies = page.elements(named: "meta").filter { $0.attributes["http-equiv"] != nil }
    #expect(policies.map { $0.attributes["content"] } == [ReportStyle.standard.policy])
  }

  @Test("The text can be read, in every place", arguments: plants)
  func isShown(_ plant: String) throws {
    let page = try ReportPage(of: Timeline(log(plant)), name: plant + ".log")
    let story = try #require(page.elements.last { $0.attributes["id"] == "story" })
    for place in ["n", "g", "s", "w", "k", "m", "h"] {
      #expect(story.text.contains(place + plant.visible), "\(place)")
    }
    #expect(page.elements(ofClass: "lead").first?.text.contains(plant.visible) == true)
  }

  @Test(
    "No character hides text or changes its direction, and XML allows all of them",
    arguments: plants)
  func isSeen(_ plant: String) throws {
    let page = try ReportPage(of: Timeline(log(plant)), name: plant + "\u{FFFE}\u{FFFF}\u{1}.log")
    let hidden = page.source.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control: scalar != "\n"
      case .format, .lineSeparator, .paragraphSeparator, .unassigned: true
      default:
        scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
      }
    }
    #expect(Set(hidden).map { "U+" + String($0.value, radix: 16) } == [])
  }

  @Test("The policy allows only the page's own sheet")
  func policy() {
    let policy = ReportStyle.standard.policy
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(!policy.contains("unsafe") && !policy.contains("script-src") && !policy.contains("*"))
    #expect(!ReportStyle.standard.text.contains { "<&".contains($0) })
    #expect(!ReportStyle.standard.text.contains("url(") && !policy.contains("http"))
  }
}
