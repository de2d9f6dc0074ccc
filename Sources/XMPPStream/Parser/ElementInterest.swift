package import XMPPStanza

/// Which parts of top-level elements somebody looks at, so that the parser need not build the
/// others: most of what a stream carries means nothing to who reads it.
///
/// What is not built is parsed and checked all the same, and an element's bytes are always whole.
package struct ElementInterest: Sendable {
  /// A question about an expanded name. It is asked once for each name that a context meets, so
  /// the answer must depend on nothing else.
  package typealias Rule = @Sendable (XMLName) -> Bool

  let isKept: Rule
  let asksForAll: Rule

  /// Builds the top-level element itself and some of its children.
  ///
  /// - Parameters:
  ///   - isKept: Whether a child of a top-level element is built, with everything in it. Of the
  ///     others the first is there by its name alone, so that an element that has children never
  ///     looks as if it had none.
  ///   - asksForAll: Whether everything in a top-level element is built because an element or an
  ///     attribute of this name is somewhere in it.
  package init(keepingChildren isKept: @escaping Rule, allWith asksForAll: @escaping Rule) {
    self.isKept = isKept
    self.asksForAll = asksForAll
  }

  /// Builds everything.
  package static let everything = ElementInterest(
    keepingChildren: { _ in true }, allWith: { _ in false })
}
