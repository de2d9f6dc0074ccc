import ArgumentParser
import Captures
import Rollcall
import XMPPStanza

/// The options that describe a capture.
struct CaptureOptions: ParsableArguments {
  @OptionGroup var selection: CaptureSelection

  @Option(help: .captureFormat, completion: .captureFormats)
  var format: String?

  var importOptions: ImportOptions {
    get throws { try selection.importOptions(format: format, option: "--format") }
  }
}

extension ArgumentHelp {
  /// The help for the option that names the format of a capture.
  static let captureFormat: ArgumentHelp =
    "The capture's format, if it is not found by looking."
}

extension CompletionKind {
  /// The names of the capture formats.
  static var captureFormats: CompletionKind { .list(CaptureFormat.all.map(\.id)) }
}

/// The options that select a part of a capture and supply what it does not contain.
struct CaptureSelection: ParsableArguments {
  @Option(help: "The account, if a capture has several.")
  var account: String?

  @Option(
    help: """
      The only connection to read, by the source's name for it, such as c2s56226dd11ee0, its \
      number or its resource (see rollcall connections).
      """)
  var connection: String?

  @Option(help: "The year of a capture whose clock has none; without it, its times are unknown.")
  var year: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The zone of a capture's clock if the capture has none: UTC, local, Asia/Shanghai, +08:00.",
      valueName: "zone"))
  var clockZone: Zone?

  @Option(
    help: """
      The encoding of a capture that is not in UTF-8, by its name for iconv: windows-1252, \
      GB18030, Shift_JIS. UTF-16 is recognized.
      """)
  var encoding: String?

  @Option(
    help: """
      The file of the other direction, if a capture has the bytes of one direction of a stream.
      """, completion: .file())
  var pair: String?

  @Option(
    help: """
      The file with the keys of TLS connections (SSLKEYLOGFILE), with which tshark reads a packet \
      capture. The keys are not stored.
      """, completion: .file())
  var keylog: String?

  /// The options of an import.
  ///
  /// - Parameters:
  ///   - format: The format's name; nil to detect it.
  ///   - option: The name of the option for the format.
  func importOptions(format: String?, option: String) throws -> ImportOptions {
    var options = ImportOptions(
      connection: connection, year: year, zone: clockZone?.timeZone, keyLog: keylog)
    if let encoding {
      options.encoding = TextEncoding(named: encoding)
      guard options.encoding != nil else {
        throw Failure("--encoding “\(encoding)” is not known; iconv -l lists those that are")
      }
    }
    options.account = try account.map { try BareJID(option: $0) }
    if let format {
      options.format = CaptureFormat.named(format)
      guard options.format != nil else {
        let known = CaptureFormat.all.map(\.id).joined(separator: ", ")
        throw Failure("\(option) “\(format)” is not known; the formats are \(known)")
      }
    }
    return options
  }
}

/// The option that chooses a log in a folder, for commands that read no captures.
struct AccountOption: ParsableArguments {
  @Option(help: "The account, if a folder has the logs of several.")
  var account: String?

  /// The chosen account; nil if none was chosen.
  var wanted: BareJID? {
    get throws { try account.map { try BareJID(option: $0) } }
  }
}

extension BareJID {
  /// Parses the value of `--account`.
  fileprivate init(option text: String) throws {
    do {
      self = try JID(parsing: text).bare
    } catch {
      throw Failure("--account “\(text)” is not an address: \(error)")
    }
  }
}
