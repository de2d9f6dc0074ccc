// Costly work for commands, with a session that contains everything.
extension HostileCapture {
  static let contacts: [HostileCapture] = [
    native("contacts that are renamed", atLimits, everywhere, items: { items(0..<$0) }) {
      capture, size in
      for number in 0..<size {
        capture.push("p\(number)", item(contact(number), "name='N\(number)' subscription='both'"))
      }
    },
    native("one contact that is renamed", atLimits, everywhere) { capture, size in
      for number in 0..<size {
        capture.push("p\(number)", item(contact(1), "name='N\(number)' subscription='both'"))
      }
    },
    native("contacts that come and go", atLimits, everywhere) { capture, size in
      for number in 0..<size {
        capture.push("p\(number)", item(contact(number)))
        capture.push("q\(number)", item(contact(number), "subscription='remove'"))
      }
    },
  ]

  static let commands: [HostileCapture] = [
    native(
      "records", 1000,
      [
        "import FILE -o OUT", "import FILE -o LOG", "import FILE FILE -o OUT", "verify LOG",
        "connections LOG", "show LOG 7", "friends LOG",
        "requests LOG", "pinyin --json", "bookmark LOG", "export LOG",
        "export LOG --format xml -o OUT", "report LOG -o OUT",
        "test-from LOG -o OUT", "what-if LOG --drop 5", "what-if LOG --policy lenient",
        "what-if LOG --swap 7 8", "bisect LOG --missing contact7@example.test",
        "bisect LOG --count-friends '<10'", "diff LOG 5 head", "diff LOG 0 head --sections",
        "recover LOG -o OUT", "verify LOG --rebuild", "log LOG --contact contact7@example.test",
      ],
      items: { items(0..<$0) }
    ) { capture, size in
      for number in 0..<size {
        capture.presence("\(contact(number))/x")
        capture.push("p\(number)", item(contact(number), "name='N\(number)' subscription='both'"))
        capture.sent("<iq type='result' id='p\(number)'/>")
        capture.presence("new\(contact(number))", " type='subscribe'/>")
      }
    }
  ]
}
