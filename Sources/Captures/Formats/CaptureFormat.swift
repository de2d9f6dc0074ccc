/// A capture format that Rollcall can read.
///
/// <doc:AddingAFormat> explains how to add one. If each record is a whole element that begins after
/// a fixed text on its line, the description is a `LineLog`. If a record holds what one read or
/// write transferred, is a byte string literal, or begins below its head, it is a `ChunkLog`.
package struct CaptureFormat: Sendable {
  /// The name of the format on the command line.
  package let id: String
  /// A description of what writes it, for the user.
  package let title: String
  /// How to make the program write such a log, in one line.
  package let howTo: String
  /// Whether the tests include a real log of the program.
  ///
  /// If not, the description was made from the program's source.
  package let isTested: Bool

  let shape: Shape

  enum Shape: Sendable {
    case native
    case spool
    case raw
    case lines(LineLog)
    case chunks(ChunkLog)
    case dino
    case xml
    case wireshark
    case har
    case pasted
  }

  /// Every format, in the order in which they are listed.
  package static let all: [CaptureFormat] = own + clients + consoles + servers + streams + [pasted]

  private static let own: [CaptureFormat] = [
    CaptureFormat(
      "native", "Rollcall's own capture (JSON Lines)",
      howTo: "rollcall export LOG", .native),
    CaptureFormat(
      "tap", "spool of Rollcall's module for Prosody or ejabberd: all accounts (JSON Lines)",
      howTo: "rollcall fleet tap prosody or ejabberd; the module's first lines say how it is used",
      .spool),
    CaptureFormat(
      "raw-jsonl", "bytes of recorded connections (JSON Lines)",
      howTo: "a recording proxy between client and server", .raw),
  ]

  private static let clients: [CaptureFormat] = [
    CaptureFormat(
      "slixmpp", "log of a program that uses slixmpp, such as poezio",
      howTo: "logging.basicConfig(level=logging.DEBUG); poezio: poezio --debug FILE",
      .lines(.slixmpp)),
    CaptureFormat(
      "aioxmpp", "log of a program that uses aioxmpp",
      howTo: "logging.basicConfig(level=logging.DEBUG)", .chunks(.aioxmpp)),
    CaptureFormat(
      "profanity", "log of profanity",
      howTo: "profanity --log DEBUG; the log is in ~/.local/share/profanity/logs",
      .lines(.profanity)),
    CaptureFormat(
      "libstrophe", "log of a program that uses libstrophe",
      howTo: "xmpp_ctx_new(NULL, xmpp_get_default_logger(XMPP_LEVEL_DEBUG)); keep standard error",
      .lines(.libstrophe)),
    CaptureFormat(
      "gloox", "log of a program that uses gloox",
      howTo: """
        a LogHandler at LogLevelDebug and LogAreaAll that prints \
        "log: level: %d, area: %d, %s" as those of gloox's examples do
        """, .lines(.gloox)),
    CaptureFormat(
      "qxmpp", "log of a program that uses QXmpp",
      howTo: "client.logger()->setLoggingType(QXmppLogger::StdoutLogging) or FileLogging",
      .chunks(.qxmpp)),
    CaptureFormat(
      "libpurple", "debug log of Pidgin, Finch or another program that uses libpurple",
      howTo: "pidgin -d or finch -d, with standard output and error kept in a file",
      .chunks(.libpurple)),
    CaptureFormat(
      "mcabber", "trace log of mcabber, which uses loudmouth",
      howTo: "in ~/.mcabber/mcabberrc: set tracelog_level = 3, set tracelog_file = FILE",
      .chunks(.mcabber)),
    CaptureFormat(
      "net-xmpp", "log of a program that uses Perl's Net::XMPP",
      howTo: "Net::XMPP::Client->new(debuglevel => 1, debugfile => FILE)", .chunks(.netXMPP)),
    CaptureFormat(
      "gajim", "log of Gajim",
      howTo: "gajim -l nbxmpp.connection=INFO, with standard error kept in a file",
      .chunks(.gajim)),
    CaptureFormat(
      "dino", "output of Dino", howTo: "dino --print-xmpp=all 2> FILE", .dino),
    CaptureFormat(
      "smack", "log of a program that uses Smack or asmack, also from Android's logcat",
      howTo:
        "SmackConfiguration.DEBUG = true, or a ConnectionConfiguration with enableDefaultDebugger",
      isTested: false, .chunks(.smack)),
    CaptureFormat(
      "xmppframework", "log of a program that uses XMPPFramework",
      howTo:
        "log level verbose with send and receive: XMPP_LOG_FLAG_SEND | XMPP_LOG_FLAG_RECV_POST",
      isTested: false, .lines(.xmppFramework)),
    CaptureFormat(
      "monal", "log of Monal, and of others that write RECV Stanza: and SEND:",
      howTo: "Settings, Debug, UDP logger; keep what Monal's UDPLogServer/server.py writes",
      isTested: false, .lines(.monal)),
  ]

  private static let consoles: [CaptureFormat] = [
    CaptureFormat(
      "psi", "XML console of Psi or Psi+, which does not say which way an element went",
      howTo: "account menu, XML Console, Enable, Dump Ringbuf; copy all of it", .xml),
    CaptureFormat(
      "gajim-console", "export of Gajim's XML console",
      howTo: "Accounts, Advanced, XML Console; filter nothing; copy or export",
      .chunks(.gajimConsole)),
    CaptureFormat(
      "beagle", "XML console of Beagle or Siskin",
      howTo: "open the account's XML console, log in again, copy all of it",
      isTested: false, .chunks(.beagle)),
    CaptureFormat(
      "converse", "browser console under Converse.js",
      howTo: "loglevel: 'debug' in converse.initialize; save the browser's console to a file",
      isTested: false, .chunks(.converse)),
    CaptureFormat(
      "swiften", "trace of Swift or another program that uses Swiften",
      howTo: "swift-im --debug, or a ClientXMLTracer on the client, with standard error in a file",
      isTested: false, .chunks(.swiften)),
    CaptureFormat(
      "strophe", "console of a page that uses Strophe.js",
      howTo: """
        connection.rawInput = data => console.log("RECV: " + data); \
        connection.rawOutput = data => console.log("SENT: " + data); save the console to a file
        """, isTested: false, .chunks(.strophe)),
    CaptureFormat(
      "xmpp.js", "output of a program that uses xmpp.js",
      howTo: "require('@xmpp/debug')(xmpp, true), with the output kept in a file",
      isTested: false, .chunks(.xmppJS)),
  ]

  private static let streams: [CaptureFormat] = [
    CaptureFormat(
      "raw-stream", "bytes of a stream, one file a direction or both in one",
      howTo: "Wireshark: Follow TCP stream of a decrypted connection, show and save as raw", .xml),
    CaptureFormat(
      "wireshark", "TCP streams of a capture of packets, or one that Wireshark or tshark saved",
      howTo: """
        tcpdump -w FILE port 5222 or Wireshark, with --keylog and the keys that the client wrote \
        (SSLKEYLOGFILE); or tshark -q -r FILE -z follow,tcp,yaml,N > STREAM.yaml
        """, .wireshark),
    CaptureFormat(
      "har", "a browser's network traffic (HTTP Archive): WebSocket and BOSH sessions",
      howTo: "the browser's developer tools, Network: load the page anew, log in, export as HAR",
      isTested: false, .har),
  ]

  /// The format of a text that fits no program's format.
  static let pasted = CaptureFormat(
    "pasted", "any text with stanzas in it",
    howTo: """
      a text in which the nearest word or sign before each stanza says which way it went: \
      received, sent, IN, OUT, <<, >>
      """, .pasted)

  private static let servers: [CaptureFormat] = [
    CaptureFormat(
      "prosody-debug", "debug log of a Prosody server with mod_stanza_debug",
      howTo: "add \"stanza_debug\" to modules_enabled, and log = { debug = \"FILE\" }",
      .lines(.prosody)),
    CaptureFormat(
      "prosody-heads", "debug log of a Prosody server: subscription stanzas only",
      howTo: "log = { debug = \"FILE\" }; mod_stanza_debug shows everything",
      .lines(.prosodyHeads)),
    CaptureFormat(
      "prosody-raw", "debug log of a Prosody server with mod_rawdebug",
      howTo: "add \"rawdebug\" (of the community modules) to modules_enabled, and log at debug",
      .chunks(.prosodyRaw)),
    CaptureFormat(
      "ejabberd", "log of an ejabberd server at level debug",
      howTo: "ejabberdctl set_loglevel debug, or loglevel: debug in ejabberd.yml",
      .chunks(.ejabberd)),
    CaptureFormat(
      "openfire",
      "output of an Openfire server with the plug-in XML Debugger, or the log of its WebSockets",
      howTo: "install the plug-in, and let it log client connections on plain and TLS ports",
      isTested: false, .chunks(.openfire)),
    CaptureFormat(
      "jabberd2", "debug output of the c2s of a jabberd 2 server",
      howTo: "c2s -D, built with --enable-debug, with its output kept in a file",
      isTested: false, .chunks(.jabberd2)),
  ]

  /// The formats, most specific first: a line that fits two belongs to the earlier one.
  ///
  /// The last formats are those whose lines can look like the lines of another program.
  static let bySpecificity: [CaptureFormat] = {
    let vague = ["monal", "slixmpp", "strophe"]
    return all.filter { !vague.contains($0.id) } + vague.compactMap(named)
  }()

  private init(
    _ id: String, _ title: String, howTo: String, isTested: Bool = true, _ shape: Shape
  ) {
    self.id = id
    self.title = title
    self.howTo = howTo
    self.isTested = isTested
    self.shape = shape
  }

  /// Whether its logs are lines of text, which a log collector may have rewritten.
  package var isOfLines: Bool {
    switch shape {
    case .lines, .chunks, .dino, .pasted: true
    case .native, .spool, .raw, .xml, .wireshark, .har: false
    }
  }

  /// Whether its directions come from a program's words, which may be the words of a server.
  var hasWordsForDirections: Bool {
    switch shape {
    case .lines, .chunks, .dino: true
    case .native, .spool, .raw, .xml, .wireshark, .har, .pasted: false
    }
  }

  /// Returns the format with this id, or nil if there is none.
  package static func named(_ id: String) -> CaptureFormat? { all.first { $0.id == id } }
}
