package import Foundation

/// A captured session with the server's own record of the account's roster afterward.
package struct CaptureCase: Sendable, CustomStringConvertible {
  /// The name of the folder.
  package let name: String
  /// The account to which the expectation applies.
  package let account: String
  /// The capture.
  package let path: String
  /// The format's name in `meta.json`.
  package let format: String
  package let expected: Expected

  package var description: String { "\(name) for \(account)" }

  /// The roster that a fresh client received, and the requests in the server's store.
  package struct Expected: Decodable, Hashable, Sendable {
    package struct Item: Decodable, Hashable, Sendable {
      package let jid: String
      package let name: String?
      package let subscription: String
      package let ask: String?
      package let approved: Bool
      package let groups: [String]
    }

    package let account: String
    package let items: [Item]
    package let incoming_requests: [String]
    package let outgoing_requests: [String]
  }

  private struct Meta: Decodable {
    let format: String
  }

  /// The folder of the fixtures.
  package static let fixtures = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures")

  /// Every case of `Fixtures/captures`, one for each account with an expectation.
  package static let all: [CaptureCase] = {
    do {
      return try load()
    } catch {
      preconditionFailure("the fixtures cannot be read: \(error)")
    }
  }()

  private static func load() throws -> [CaptureCase] {
    let folder = fixtures.appending(path: "captures")
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false)
    ).sorted()
    return try names.filter { !$0.contains(".") }.flatMap { name in
      try load(name, in: folder.appending(path: name))
    }
  }

  private static func load(_ name: String, in folder: URL) throws -> [CaptureCase] {
    let meta = try JSONDecoder().decode(
      Meta.self, from: Data(contentsOf: folder.appending(path: "meta.json")))
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false)
    ).sorted()
    return try files.filter { $0.hasPrefix("expected") }.map { file in
      let expected = try JSONDecoder().decode(
        Expected.self, from: Data(contentsOf: folder.appending(path: file)))
      return CaptureCase(
        name: name, account: expected.account,
        path: folder.appending(path: "capture.log").path(percentEncoded: false),
        format: meta.format,
        expected: expected)
    }
  }
}
