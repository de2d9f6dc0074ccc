import Testing
import XMPPStanza

@Suite("Elements as values")
struct XMLNodeTests {
  private func text(_ node: XMPPElement) -> String {
    String(decoding: node.serialized(), as: UTF8.self)
  }

  @Test("A namespace is declared when it changes")
  func aNamespaceIsDeclaredWhereItChanges() {
    let item = XMPPElement(XMLName("item", in: Namespace.roster))
    let query = XMPPElement(XMLName("query", in: Namespace.roster), content: [.element(item)])
    let iq = XMPPElement(XMLName("iq", in: Namespace.client), content: [.element(query)])
    #expect(text(iq) == "<iq><query xmlns=\"jabber:iq:roster\"><item/></query></iq>")
    #expect(text(query) == "<query xmlns=\"jabber:iq:roster\"><item/></query>")
    #expect(text(XMPPElement(XMLName("a", in: ""))) == "<a xmlns=\"\"/>")
  }

  @Test("Attributes keep their namespaces")
  func attributesKeepTheirNamespaces() {
    let node = XMPPElement(
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
  @Test("An element may be in the namespace of xml")
  func anElementInTheNamespaceOfXML() {
    let child = XMPPElement(XMLName("b", in: Namespace.client))
    let node = XMPPElement(XMLName("a", in: Namespace.xml), content: [.element(child)])
    #expect(text(node) == "<xml:a><b/></xml:a>")
  }

  @Test("What XML would read differently is escaped")
  func whatXMLWouldReadOtherwiseIsEscaped() {
    let hard = "<&>\"'\t\r\n]]>"
    let node = XMPPElement(
      XMLName("a", in: Namespace.client),
      attributes: [XMLAttribute(XMLName("b", in: ""), hard)], content: [.text(hard)])
    #expect(
      text(node)
        == "<a b=\"&lt;&amp;&gt;&quot;'&#9;&#13;&#10;]]&gt;\">&lt;&amp;&gt;\"'\t&#13;\n]]&gt;</a>")
  }

  @Test("Only direct children and text count")
  func onlyDirectChildrenAndTextCount() {
    let inner = XMPPElement(XMLName("a", in: "u"), content: [.text("inner")])
    let outer = XMPPElement(
      XMLName("b", in: "u"), content: [.text("x"), .element(inner), .text("y")])
    let node = XMPPElement(XMLName("c", in: "u"), content: [.element(outer)])
    #expect(node.child("a", in: "u") == nil)
    #expect(node.child("b", in: "v") == nil)
    #expect(node.child("b", in: "u") == outer)
    #expect(outer.text == "xy")
    #expect(Array(outer.children) == [inner])
  }

  @Test(
    "White space is trimmed at both ends",
    arguments: [
      ("", ""), (" \t\r\n", ""), (" a b ", "a b"), ("\u{A0}a\u{A0}", "\u{A0}a\u{A0}"), ("a", "a"),
    ])
  func whiteSpaceIsTrimmed(_ text: String, _ trimmed: String) {
    #expect(text.trimmedOfXMLSpace == trimmed)
  }
}

@Suite("Elements are equal wherever they are and however they were made")
struct XMLNodeIdentityTests {
  private static let inner = XMPPElement(
    XMLName("b", in: "u"), attributes: [XMLAttribute(XMLName("c", in: ""), "1")],
    content: [.text("x"), .element(XMPPElement(XMLName("d", in: "v")))])

  private static func outer(_ content: [XMPPElement.Content]) -> XMPPElement {
    XMPPElement(
      XMLName("a", in: "u"), attributes: [XMLAttribute(XMLName("c", in: "v"), "é")],
      content: content)
  }

  @Test("An element built from the parts of another is equal to it")
  func whatIsTakenApartAndPutTogetherIsTheSame() {
    let node = Self.outer([.text("1"), .element(Self.inner), .text("2"), .element(Self.inner)])
    let again = XMPPElement(node.name, attributes: node.attributes, content: node.content)
    #expect(again == node)
    #expect(again.hashValue == node.hashValue)
    #expect(node.child("b", in: "u") == Self.inner)
    #expect(node.child("b", in: "u")?.hashValue == Self.inner.hashValue)
    #expect(Array(node.children) == [Self.inner, Self.inner])
    #expect(node.attributes == [XMLAttribute(XMLName("c", in: "v"), "é")])
    #expect(node.content.count == 4)
    #expect(node.attribute("c") == nil)
    #expect(Self.inner.attribute("c") == "1")
  }

  @Test("Elements that differ in one part are not equal")
  func whatDiffersIsNotTheSame() {
    let name = XMLName("a", in: "u")
    let text = XMPPElement.Content.text("x")
    let child = XMPPElement.Content.element(XMPPElement(XMLName("b", in: "u")))
    let attribute = XMLAttribute(XMLName("b", in: ""), "x")
    let other = XMLAttribute(XMLName("c", in: ""), "x")
    let nodes = [
      XMPPElement(name, attributes: [attribute], content: [text, child]),
      XMPPElement(XMLName("a", in: "v"), attributes: [attribute], content: [text, child]),
      XMPPElement(XMLName("b", in: "u"), attributes: [attribute], content: [text, child]),
      XMPPElement(name, content: [text, child]),
      XMPPElement(name, attributes: [other], content: [text, child]),
      XMPPElement(name, attributes: [attribute, other], content: [text, child]),
      XMPPElement(name, attributes: [attribute], content: [child, text]),
      XMPPElement(name, attributes: [attribute], content: [.text("y"), child]),
      XMPPElement(name, attributes: [attribute], content: [text]),
      XMPPElement(
        name, attributes: [attribute],
        content: [.element(XMPPElement(XMLName("b", in: "u"), content: [text]))]),
      XMPPElement(name, attributes: [attribute], content: [text, child, child]),
    ]
    #expect(Set(nodes).count == nodes.count)
    for (index, node) in nodes.enumerated() {
      #expect(nodes.firstIndex(of: node) == index)
    }
  }

  @Test("Adjacent texts are joined")
  func adjacentTextsAreOne() {
    let name = XMLName("a", in: "u")
    let one = XMPPElement(name, content: [.text("xy")])
    #expect(XMPPElement(name, content: [.text("x"), .text(""), .text("y")]) == one)
  }

  /// Names of up to fifteen bytes are compared as two words.
  @Test("Names of any length are distinguished")
  func namesOfAnyLength() {
    let long = String(repeating: "n", count: 40)
    let names =
      [0, 1, 7, 8, 9, 14, 15, 16, 17, 40].map { String(long.prefix($0)) }
      + ["n\0", "\0", "nnnnnnnm", "nnnnnnnnnnnnnnm", "nnnnnnnnnnnnnnnm", "é", "e\u{301}"]
    let nodes = names.map { name in
      XMPPElement(XMLName("a", in: "u"), attributes: [XMLAttribute(XMLName(name, in: ""), "1")])
    }
    #expect(Set(nodes).count == names.count)
    #expect(nodes.map { $0.attributes.first?.name.local } == names)
    let parent = XMPPElement(
      XMLName("authorization-identifier", in: "u"), content: nodes.map { .element($0) })
    #expect(parent.is("authorization-identifier", in: "u"))
    #expect(!parent.is("authorization-identifies", in: "u"))
    #expect(!parent.is("authorization-identifier", in: "v"))
    #expect(Array(parent.children) == nodes)
    #expect(nodes.map { $0.attribute("nnnnnnnnnnnnnnn") != nil }.filter { $0 }.count == 1)
    #expect(nodes.map { $0.attribute("nnnnnnnnnnnnnnnn") != nil }.filter { $0 }.count == 1)
  }

  @Test("Filters of namespaces and names find what an element contains")
  func filters() {
    let filter = NamespaceFilter(["urn:one:namespace", "urn:two:namespace"])
    func node(_ name: String, _ namespace: String) -> XMPPElement {
      let inner = XMPPElement(XMLName(name, in: namespace))
      return XMPPElement(XMLName("iq", in: Namespace.client), content: [.element(inner)])
    }
    #expect(filter.mayHold(node("a", "urn:two:namespace")))
    #expect(!filter.mayHold(node("a", "urn:six:namespace")))
    #expect(!filter.mayHold(node("a", "u")))
    let long = String(repeating: "wanted", count: 4)
    var memo = XMLNameMemo()
    // More names than the memo can remember, in any order, some of them repeated.
    for round in 0..<3 {
      for number in 0..<1_000 {
        #expect(!memo.finds(in: node("n\(number * round)", "u")) { $0.hasSuffix("wanted") })
      }
      for name in ["wanted", "un-wanted", long] {
        #expect(memo.finds(in: node(name, "u")) { $0.hasSuffix("wanted") }, "\(name)")
        let attribute = XMLAttribute(XMLName(name, in: ""), "1")
        let holder = XMPPElement(XMLName("a", in: ""), attributes: [attribute])
        #expect(memo.finds(in: holder) { $0.hasSuffix("wanted") }, "\(name)")
      }
    }
  }

  /// A draft is used again after an element was finished, also after its memory has grown.
  @Test("An element does not change when others are made")
  func anElementStaysWhatItWas() {
    var nodes: [XMPPElement] = []
    for count in [1, 500, 3, 2000] {
      let children = (0..<count).map { number in
        XMPPElement.Content.element(
          XMPPElement(XMLName("n\(number)", in: "u"), content: [.text("\(number)")]))
      }
      nodes.append(Self.outer(children))
    }
    for (node, count) in zip(nodes, [1, 500, 3, 2000]) {
      #expect(node.children.map(\.name.local) == (0..<count).map { "n\($0)" })
      #expect(node.children.map(\.text) == (0..<count).map { "\($0)" })
    }
  }
}
