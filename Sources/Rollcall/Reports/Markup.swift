import XMPPStanza

/// A piece of a page, well formed as HTML and as XML.
///
/// Every text is escaped when it is added, and everything else comes from the lists of `Tag` and
/// `Attribute`. So nothing in a log can become an element, an attribute or a script.
package struct Markup: Hashable, Sendable {
  package fileprivate(set) var bytes: [UInt8] = []

  package init() {}

  /// A text in which control and invisible characters are shown as words.
  package init(_ text: String) {
    bytes.appendEscaped(text.visible, inAttribute: false)
  }

  /// The document type, which comes first and makes browsers follow the standard.
  package static let documentType = Markup(bytes: Array("<!DOCTYPE html>\n".utf8))

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// The concatenation of pieces.
  package init(_ pieces: some Sequence<Markup>) {
    for piece in pieces { bytes += piece.bytes }
  }

  /// Lines of text, for an element that preserves line breaks.
  package init(lines: some Sequence<String>) {
    for (number, line) in lines.enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: "\n")) }
      bytes.appendEscaped(line.visible, inAttribute: false)
    }
  }

  /// The style sheet of the page, unescaped.
  package init(_ sheet: ReportStyle) {
    bytes = Array(sheet.text.utf8)
  }

  package static func + (one: Markup, other: Markup) -> Markup { Markup([one, other]) }

  package static func += (one: inout Markup, other: Markup) { one.bytes += other.bytes }

  /// Whether the piece has no content.
  package var isEmpty: Bool { bytes.isEmpty }
}

extension Markup: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { self.init(text) }
}

/// The attributes that a page uses. None of them can have a style, a script or an outside address.
package enum Attribute: String, Sendable {
  case ariaHidden = "aria-hidden"
  case ariaLabel = "aria-label"
  case ariaLabelledBy = "aria-labelledby"
  case autocomplete, charset, checked, `class`, content, datetime, `for`, height, id, lang, name
  case httpEquivalent = "http-equiv"
  case preserveAspectRatio, role, scope, tabindex, type, viewBox, width, x, y, d, xmlns
  case textAnchor = "text-anchor"
  /// A link within the page: the value is the target's `id`.
  case fragment
}

/// The elements that a page uses.
package enum Tag: String, Sendable {
  case a, article, body, code, dd, details, div, dl, dt, em, fieldset, figcaption, figure, footer
  case g, h1, h2, h3, h4, head, header, html, input, label, legend, li, main, meta, nav, ol, p
  case path, pre, rect, section, span, strong, style, summary, svg, table, tbody, td, th
  case thead, time, title, tr, ul
  case description = "desc"
  case svgText = "text"

  /// The element with its attributes and content.
  package func callAsFunction(
    _ attributes: KeyValuePairs<Attribute, String> = [:], _ content: Markup...
  ) -> Markup {
    self(attributes, content)
  }

  package func callAsFunction(
    _ attributes: KeyValuePairs<Attribute, String> = [:], _ content: some Sequence<Markup>
  ) -> Markup {
    var markup = start(attributes)
    guard !isVoid else { return markup }
    for piece in content { markup += piece }
    markup += end
    return markup
  }

  /// The start tag, for an element whose content is written piece by piece.
  package func start(_ attributes: KeyValuePairs<Attribute, String> = [:]) -> Markup {
    var markup = Markup()
    markup.bytes += "<\(rawValue)".utf8
    for (name, value) in attributes {
      let isLink = name == .fragment
      markup.bytes += " \(isLink ? "href" : name.rawValue)=\"\(isLink ? "#" : "")".utf8
      markup.bytes.appendEscaped(value.visible, inAttribute: true)
      markup.bytes.append(UInt8(ascii: "\""))
    }
    markup.bytes += (isVoid ? "/>" : ">").utf8
    return markup
  }

  /// The end tag.
  package var end: Markup {
    var markup = Markup()
    markup.bytes += "</\(rawValue)>".utf8
    return markup
  }

  /// Whether HTML has no end tag for the element; it requires one for all others.
  private var isVoid: Bool { self == .meta || self == .input }
}
