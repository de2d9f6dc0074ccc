import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A report read by an XML parser, which accepts only well-formed pages.
final class ReportPage: NSObject, XMLParserDelegate {
  struct Element {
    let name: String
    let attributes: [String: String]
    /// The text of the element and of its descendants.
    fileprivate(set) var text = ""
  }

  let source: String
  /// The sizes of the pieces in which it was written.
  let pieces: [Int]
  private(set) var elements: [Element] = []
  private var open: [Int] = []

  init(_ bytes: [UInt8], pieces: [Int] = []) throws {
    source = String(decoding: bytes, as: UTF8.self)
    self.pieces = pieces
    super.init()
    let parser = XMLParser(data: Data(bytes))
    parser.delegate = self
    guard parser.parse() else {
      throw parser.parserError ?? CocoaError(.fileReadCorruptFile)
    }
  }

  /// The report of a log.
  convenience init(
    of timeline: Timeline, name: String? = "capture.log", ends: TwoEnds? = nil,
    limits: Report.Limits = .init()
  ) throws {
    var (bytes, pieces): ([UInt8], [Int]) = ([], [])
    let report = try Report(
      of: timeline, upTo: .head(minus: 0), name: name, zone: .utc, ends: ends,
      limits: limits)
    try report.write { piece in
      bytes += piece
      pieces.append(piece.count)
    }
    try self.init(bytes, pieces: pieces)
  }

  // MARK: Contents

  func elements(named name: String) -> [Element] { elements.filter { $0.name == name } }

  func elements(ofClass name: String) -> [Element] {
    elements.filter {
      $0.attributes["class"]?.split(separator: " ").contains { $0 == name } == true
    }
  }

  var ids: [String] { elements.compactMap { $0.attributes["id"] } }

  var links: [String] { elements.compactMap { $0.attributes["href"] } }

  /// The whole text.
  var text: String { elements.first?.text ?? "" }

  // MARK: Parsing

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    open.append(elements.count)
    elements.append(Element(name: name, attributes: attributes))
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    let text = open.popLast().map { elements[$0].text } ?? ""
    if let parent = open.last { elements[parent].text += text }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if let element = open.last { elements[element].text += text }
  }
}
