import EventStore
import Foundation
import Rollcall
import XMPPStanza

/// Captures that are read together: each into its own log, then all into one.
struct CaptureGathering {
  /// The results for the files of one capture: two if each file has one direction.
  typealias Found = [(path: String, summary: ImportSummary)]

  private(set) var collection = CaptureCollection()
  /// The results for each capture that was accepted.
  private(set) var found: [Found] = []
  /// The accounts of captures that contain several and were therefore not accepted.
  private var accounts: Set<BareJID> = []
  private let options: ImportOptions
  /// The sources that were imported before; nil if repeated records need not be recognized.
  private let known: [ImportedSource]?

  init(_ options: ImportOptions, knowing known: [ImportedSource]? = nil) {
    (self.options, self.known) = (options, known)
  }

  /// Reads a capture and adds it to the others.
  ///
  /// Skips a file from a directory that is not a capture, and a file of another account than the
  /// chosen one, with a note.
  ///
  /// - Parameters:
  ///   - isAlone: Whether it is the only capture, so that any problem with it is an error.
  ///   - keepsAll: Whether to keep records that an earlier capture also has.
  mutating func add(
    _ files: CaptureFiles, into log: EventLog, isAlone: Bool, keepingAll keepsAll: Bool = false
  ) throws {
    let read: (summaries: Found, capture: StagedCapture)
    do {
      read = try files.read(
        options, into: log, knowing: known.map { $0 + collection.sources })
    } catch ImportError.severalAccounts(let several) where !isAlone {
      accounts.formUnion(several)
      return
    } catch let error as ImportError where !isAlone && error.isSkipped(files.source.isFound) {
      return Terminal.note("\(files.path): skipped: \(error.reason)")
    } catch {
      throw error is Failure || error is OutputError ? error : Failure(error, in: files.path)
    }
    if options.account != nil, !isAlone, files.source.flow != nil,
      !read.summaries.contains(where: \.summary.namesAccount)
    {
      return Terminal.note("\(files.path): skipped: nothing in it says whose stream it is")
    }
    found.append(read.summaries)
    try collection.add(
      read.capture, in: log, called: files.source.log, of: files.source.key, keepingAll: keepsAll)
  }

  /// Throws if no capture was accepted, or if the captures are of several accounts.
  func check(_ sources: SourceFiles) throws {
    let accounts = accounts.union(found.joined().compactMap(\.summary.account))
    guard accounts.count < 2 else {
      throw Failure(ImportError.severalAccounts(accounts.sorted()), in: sources.title)
    }
    guard !found.isEmpty else { throw Failure("\(sources.title): there is no capture in it") }
    guard let account = accounts.first, found.count > 1 else { return }
    // One file of a pair may name the account for both.
    for files in found where !files.contains(where: \.summary.namesAccount) {
      let path = files.map(\.path).joined(separator: " and ")
      Terminal.note(
        "\(path): nothing in it says whose account it is; it is read as another connection of "
          + "\(account): leave it out if it is another account's")
    }
  }
}

extension SourceFiles {
  /// Imports several captures into one temporary log.
  ///
  /// - Returns: The log, and the results for each file.
  func gather(_ options: ImportOptions) throws -> (EventLog, [CaptureGathering.Found]) {
    var gathering = CaptureGathering(options)
    try CaptureFiles.forEach(in: files, keyLog: options.keyLog) { files in
      guard try !files.isLog else {
        throw Failure(
          "\(files.path) is a log, which is read alone; rollcall import adds captures to a log")
      }
      try gathering.add(files, into: try EventLog.temporary(), isAlone: single != nil)
    }
    try gathering.check(self)
    let staged = try Failure.naming(title) {
      try gathering.collection.staged { try EventLog.temporary() }
    }
    return (staged.log, gathering.found)
  }
}

extension ImportError {
  /// Whether to skip the file and read the others.
  fileprivate func isSkipped(_ isFound: Bool) -> Bool {
    switch self {
    case .unknownFormat, .unreadable, .nothingFound: isFound
    case .otherAccounts: true
    default: false
    }
  }

  /// The reason for skipping a file, on one line.
  fileprivate var reason: String {
    self == .unknownFormat ? "it is not a capture of a known format" : "\(self)"
  }
}
