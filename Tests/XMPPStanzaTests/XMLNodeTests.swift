import Testing
import XMPPStanza

struct XMLNodeTests {
  private func text(_ node: XMLNode) -> String {
    String(decoding: node.serialized(), as: UTF8.self)
  }

  @Test func aNamespaceIsDeclaredWhereItChanges() {
    let item = XMLNode(XMLName("item", in: Namespace.roster))
    let query = XMLNode(XMLName("query", in: Namespace.roster), content: [.element(item)])
    let iq = XMLNode(XMLName("iq", in: Namespace.client), content: [.element(query)])
    #expect(text(iq) == "<iq><query xmlns=\"jabber:iq:roster\"><item/></query></iq>")
    #expect(text(query) == "<query xmlns=\"jabber:iq:roster\"><item/></query>")
    #expect(text(XMLNode(XMLName("a", in: ""))) == "<a xmlns=\"\"/>")
  }

  @Test func attributesKeepTheirNamespaces() {
    let node = XMLNode(
      XMLName("a", in: Namespace.client),
      attributes: [
        XMLAttribute(XMLName("b", in: ""), "1"),
        XMLAttribute(XMLName("lang", in: Namespace.xml), "de"),
        XMLAttribute(XMLName("c", in: "u"), "2"),
        XMLAttribute(XMLName("d", in: "u"), "3"),
      ])
    #expect(text(node) == "<a b=\"1\" xml:lang=\"de\" xmlns:a2=\"u\" a2:c=\"2\" a2:d=\"3\"/>")
  }

  /// The namespace of `xml` cannot be declared as the default one.
  @Test func anElementInTheNamespaceOfXML() {
    let child = XMLNode(XMLName("b", in: Namespace.client))
    let node = XMLNode(XMLName("a", in: Namespace.xml), content: [.element(child)])
    #expect(text(node) == "<xml:a><b/></xml:a>")
  }

  @Test func whatXMLWouldReadOtherwiseIsEscaped() {
    let hard = "<&>\"'\t\r\n]]>"
    let node = XMLNode(
      XMLName("a", in: Namespace.client),
      attributes: [XMLAttribute(XMLName("b", in: ""), hard)], content: [.text(hard)])
    #expect(
      text(node)
        == "<a b=\"&lt;&amp;&gt;&quot;'&#9;&#13;&#10;]]&gt;\">&lt;&amp;&gt;\"'\t&#13;\n]]&gt;</a>")
  }

  @Test func onlyDirectChildrenAndTextCount() {
    let inner = XMLNode(XMLName("a", in: "u"), content: [.text("inner")])
    let outer = XMLNode(
      XMLName("b", in: "u"), content: [.text("x"), .element(inner), .text("y")])
    let node = XMLNode(XMLName("c", in: "u"), content: [.element(outer)])
    #expect(node.child("a", in: "u") == nil)
    #expect(node.child("b", in: "v") == nil)
    #expect(node.child("b", in: "u") == outer)
    #expect(outer.text == "xy")
    #expect(Array(outer.children) == [inner])
  }

  @Test(arguments: [
    ("", ""), (" \t\r\n", ""), (" a b ", "a b"), ("\u{A0}a\u{A0}", "\u{A0}a\u{A0}"), ("a", "a"),
  ])
  func whiteSpaceIsTrimmed(_ text: String, _ trimmed: String) {
    #expect(text.trimmedOfXMLSpace == trimmed)
  }
}
