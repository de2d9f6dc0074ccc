package import Foundation

/// A run of the program, as a user runs it.
package struct Program {
  package let output: String
  package let errors: String
  package let code: Int32

  /// Runs `rollcall` with arguments; its input is empty and its output is not a terminal.
  package init(_ arguments: String..., in folder: String? = nil) throws {
    try self.init(arguments, in: folder)
  }

  package init(_ arguments: [String], in folder: String? = nil) throws {
    try self.init(Self.executable(), arguments, in: folder)
  }

  /// Runs a line of shell, in which `"$ROLLCALL"` is the program.
  package init(shell line: String, in folder: String) throws {
    let line = "ROLLCALL='\(try Self.executable().path(percentEncoded: false))'; \(line)"
    try self.init(URL(filePath: "/bin/sh"), ["-c", line], in: folder)
  }

  private init(_ executable: URL, _ arguments: [String], in folder: String?) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    let files = try TemporaryFolder()
    let output = files.file("output")
    let errors = files.file("errors")
    for path in [output, errors] { try Data().write(to: URL(filePath: path)) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
    try process.run()
    process.waitUntilExit()
    code = process.terminationStatus
    self.output = try String(contentsOfFile: output, encoding: .utf8)
    self.errors = try String(contentsOfFile: errors, encoding: .utf8)
  }

  /// The JSON document on standard output.
  package var document: NSDictionary {
    get throws {
      let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
      guard let document = object as? NSDictionary else { throw CocoaError(.coderInvalidValue) }
      return document
    }
  }

  /// Runs another program from the same build.
  package init(beside name: String, _ arguments: [String]) throws {
    try self.init(Self.executable(name), arguments, in: nil)
  }

  /// The path of the program, or another one from the same build, near the test bundle.
  package static func executable(_ name: String = "rollcall") throws -> URL {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<6 {
      let candidate = folder.appending(path: name)
      if FileManager.default.isExecutableFile(atPath: candidate.path(percentEncoded: false)) {
        return candidate
      }
      folder.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
