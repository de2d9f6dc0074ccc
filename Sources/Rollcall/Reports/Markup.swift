import XMPPStanza

/// A piece of a page, well formed as HTML and as XML.
///
/// Every text that comes into one is escaped on the way, and what is no text comes from the lists
/// of `Tag` and `Attribute`: so nothing that a log holds can become an element, an attribute or a
/// script.
package struct Markup: Hashable, Sendable {
  package fileprivate(set) var bytes: [UInt8] = []

  package init() {}

  /// A text, with what a browser obeys or nobody sees in words.
  package init(_ text: String) {
    bytes.appendEscaped(text.visible, inAttribute: false)
  }

  /// What stands before a page, so that browsers read it by the standard.
  package static let documentType = Markup(bytes: Array("<!DOCTYPE html>\n".utf8))

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Pieces one after the other.
  package init(_ pieces: some Sequence<Markup>) {
    for piece in pieces { bytes += piece.bytes }
  }

  /// Lines of text in an element that keeps them.
  package init(lines: some Sequence<String>) {
    for (number, line) in lines.enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: "\n")) }
      bytes.appendEscaped(line.visible, inAttribute: false)
    }
  }

  /// The sheet of the page, which stands in the page as it is.
  package init(_ sheet: ReportStyle) {
    bytes = Array(sheet.text.utf8)
  }

  package static func + (one: Markup, other: Markup) -> Markup { Markup([one, other]) }

  package static func += (one: inout Markup, other: Markup) { one.bytes += other.bytes }

  /// Whether there is anything.
  package var isEmpty: Bool { bytes.isEmpty }
}

extension Markup: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { self.init(text) }
}

/// The attributes that a page uses: none that has a style, a script or an address.
package enum Attribute: String, Sendable {
  case ariaHidden = "aria-hidden"
  case ariaLabel = "aria-label"
  case ariaLabelledBy = "aria-labelledby"
  case autocomplete, charset, checked, `class`, content, datetime, `for`, height, id, lang, name
  case httpEquivalent = "http-equiv"
  case preserveAspectRatio, role, scope, tabindex, type, viewBox, width, x, y, d, xmlns
  case textAnchor = "text-anchor"
  /// A place of the page itself: the value is its name.
  case place
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

  /// The beginning of an element whose content is written piece by piece.
  package func start(_ attributes: KeyValuePairs<Attribute, String> = [:]) -> Markup {
    var markup = Markup()
    markup.bytes += "<\(rawValue)".utf8
    for (name, value) in attributes {
      let isPlace = name == .place
      markup.bytes += " \(isPlace ? "href" : name.rawValue)=\"\(isPlace ? "#" : "")".utf8
      markup.bytes.appendEscaped(value.visible, inAttribute: true)
      markup.bytes.append(UInt8(ascii: "\""))
    }
    markup.bytes += (isVoid ? "/>" : ">").utf8
    return markup
  }

  /// The end of that.
  package var end: Markup {
    var markup = Markup()
    markup.bytes += "</\(rawValue)>".utf8
    return markup
  }

  /// Those that HTML knows without an end; all others it wants one of.
  private var isVoid: Bool { self == .meta || self == .input }
}
