// Carriers of a log that are designed to be expensive, because something in them is never closed or
// never ends.
extension HostileCapture {
  static let carriers: [HostileCapture] = [
    carried("a table whose quote is never closed", 20_000) { size in
      "time,message\n1,\"\(record)\n" + repeated("1,x\n", size)
    },
    carried("a table of quotes", 20_000) { size in
      "time,message\n1,\"\(record)\"\n" + repeated("1,\"\"\"\"\n", size)
    },
    carried("quoted-printable that always goes on", 20_000) { size in
      "07:19:12 SENT (0): <presence type=3D'x'/>\n" + repeated("x=3D=\n", size)
    },
    carried("parts of a line that never ends", 10_000) { size in
      repeated("2026-11-21T07:25:14.123456789Z stdout F \(record)\n", 3)
        + repeated("2026-11-21T07:25:14.123456789Z stdout P x\n", size)
    },
    carried("messages of logcat that fill an entry", 20) { size in
      repeated("11-21 07:19:12.123  1  5 D SMACK   : \(record)\n", 3)
        + repeated("11-21 07:19:12.123  1  5 D SMACK   : \(repeated("x", 4000))\n", size)
    },
    carried("JSON nested without end", 50_000) { size in
      repeated("{\"msg\":\"\(record)\"}\n", 3) + "{\"msg\":" + repeated("[", size)
    },
    carried("entries of a document", 10_000) { size in
      "[\n" + repeated("{\"message\":\"\(record)\"},\n", size) + "]\n"
    },
    carried("entities", 20_000) { size in
      "07:19:12 SENT (0): &lt;presence/&gt;\n" + repeated("&amp;&lt;&#x", size)
    },
    carried("lines of one width", 5_000) { size in
      let line = "07:19:12 SENT (0): <message><body>" + repeated("x", 46) + "\n"
      return line + repeated(repeated("y", 80) + "\n", size) + "</body></message>\n"
    },
    carried("quotes of quotes", 50_000) { size in
      repeated("> \(record)\n", 3) + repeated("> ", size) + "\n"
    },
    carried("no-break spaces and typographic quotes", 20_000) { size in
      "\(record)\n07:19:12 SENT (0): <presence " + repeated("\u{A0}a=’x", size) + "/>\n"
    },
    carried("newest first", 2_000) { size in
      (0..<size).reversed().map { number in
        let second = number % 60 < 10 ? "0\(number % 60)" : "\(number % 60)"
        let minute = number / 60 % 60 < 10 ? "0\(number / 60 % 60)" : "\(number / 60 % 60)"
        return "2026-03-05 08:\(minute):\(second),000 - DEBUG - RECV: <presence from='a@b.test'/>\n"
      }.joined()
    },
    carried("entries inside an element", 5_000) { size in
      "07:19:12 SENT (0): <message><body>\n"
        + repeated("{\"message\":\"\\u003c/body\\u003e\"}\n", size) + "</body></message>\n"
    },
    carried("entries of one document, the newest first", 5_000) { size in
      let entries = (0..<size).reversed().map { number in
        "{\"timestamp\":\(1_772_697_906_700 + number),\"message\":\"\(record)\"}"
      }
      return "{\"events\":[\(entries.joined(separator: ","))]}"
    },
    carried("tables in quotes of a web page", 10_000) { size in
      repeated("<tr><td>&lt;presence type=&quot;x&quot;/&gt;</td></tr>\n", size)
    },
    carried("no log before the end", 100_000) { size in
      repeated("a line of another thing\n", size) + "\(record)\n"
    },
  ]

  private static let record = "07:19:12 SENT (0): <presence type='unavailable'/>"

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  private static func carried(
    _ name: String, _ size: Int, _ text: @escaping @Sendable (Int) -> String
  ) -> HostileCapture {
    HostileCapture("carried: \(name)", size) { Array(text($0).utf8) }
  }
}
