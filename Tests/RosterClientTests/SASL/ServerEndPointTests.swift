import Foundation
import RosterClient
import TestSupport
import Testing

@Suite("The hash of a server's certificate") struct ServerEndPointTests {
  /// Algorithms, and the size of the hash that RFC 5929 §4.1 requires; nil if it leaves that open.
  private static let algorithms: [([UInt8], bytes: Int?)] = [
    ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x04], 32),  // md5WithRSAEncryption
    ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x05], 32),  // sha1WithRSAEncryption
    ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A], nil),  // RSASSA-PSS
    ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B], 32),  // sha256WithRSAEncryption
    ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0C], 48),  // sha384WithRSAEncryption
    ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0D], 64),  // sha512WithRSAEncryption
    ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0E], nil),  // sha224WithRSAEncryption
    ([0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x03], 32),  // dsa-with-sha1
    ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x02], 32),  // dsa-with-sha256
    ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x01], 32),  // ecdsa-with-SHA1
    ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02], 32),  // ecdsa-with-SHA256
    ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03], 48),  // ecdsa-with-SHA384
    ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x04], 64),  // ecdsa-with-SHA512
    ([0x2B, 0x65, 0x70], nil),  // Ed25519
    ([], nil),
  ]

  private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    let length: [UInt8] =
      count < 0x80
      ? [UInt8(count)]
      : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    return [tag] + length + contents
  }

  /// The frame of a certificate, whose contents are not read.
  private static func certificate(_ algorithm: [UInt8], filling: Int) -> [UInt8] {
    let body = element(0x30, Array(repeating: 0x55, count: filling))
    let signature = element(0x03, [0, 1, 2, 3])
    return element(
      0x30, body + element(0x30, element(0x06, algorithm) + [0x05, 0x00]) + signature)
  }

  private static let sha256WithRSA = algorithms[3].0

  @Test("Each algorithm has its hash, whatever the length of the certificate")
  func algorithms() {
    for (algorithm, count) in Self.algorithms {
      for filling in [0, 100, 120, 200, 300, 5000] {
        let certificate = Self.certificate(algorithm, filling: filling)
        let hash = SASLChannel.serverEndPoint(ofCertificateDER: certificate)
        #expect(hash?.count == count, "\(algorithm), \(filling)")
      }
    }
  }

  @Test("A certificate that is cut off, too long, or not DER has no hash")
  func malformed() {
    let whole = Self.certificate(Self.sha256WithRSA, filling: 200)
    #expect(SASLChannel.serverEndPoint(ofCertificateDER: whole) != nil)
    for count in 0..<whole.count {
      #expect(SASLChannel.serverEndPoint(ofCertificateDER: Array(whole.prefix(count))) == nil)
    }
    #expect(SASLChannel.serverEndPoint(ofCertificateDER: whole + [0]) == nil)
    let algorithm = Self.element(0x30, Self.element(0x06, Self.sha256WithRSA))
    let (body, signature): ([UInt8], [UInt8]) = ([0x30, 0], [0x03, 1, 0])
    for (what, contents) in [
      ("no signature", body + algorithm), ("more", body + algorithm + signature + [0x05, 0]),
      ("a set for a sequence", [0x31, 0] + algorithm + signature),
      ("a longer length than needed", [0x30, 0x81, 1, 0x55] + algorithm + signature),
      ("zeros before a length", [0x30, 0x82, 0, 0] + algorithm + signature),
      ("an indefinite length", [0x30, 0x80, 0, 0] + algorithm + signature),
      ("an algorithm of nothing", body + [0x30, 0] + signature),
      ("a number for an algorithm", body + [0x30, 3, 0x02, 1, 1] + signature),
    ] {
      let bytes = Self.element(0x30, contents)
      #expect(SASLChannel.serverEndPoint(ofCertificateDER: bytes) == nil, "\(what)")
    }
    let good = Self.element(0x30, body + algorithm + signature)
    #expect(SASLChannel.serverEndPoint(ofCertificateDER: good) != nil)
    for length: [UInt8] in [[0x84, 0, 0, 0, 1], [0x88] + Array(repeating: 0xFF, count: 8), [0xFF]] {
      #expect(SASLChannel.serverEndPoint(ofCertificateDER: [0x30] + length + good) == nil)
    }
  }

  @Test(
    "The hash of OpenSSL's certificates is the one that OpenSSL computes",
    .enabled(if: OpenSSL.isInstalled, "needs the program openssl"))
  func openSSL() throws {
    let folder = try TemporaryFolder()
    for (key, options, hash): ([String], [String], String?) in [
      (["-algorithm", "RSA"], ["-sha1"], "-sha256"), (["-algorithm", "RSA"], ["-md5"], "-sha256"),
      (["-algorithm", "RSA"], ["-sha256"], "-sha256"),
      (["-algorithm", "RSA"], ["-sha384"], "-sha384"),
      (["-algorithm", "RSA"], ["-sha512"], "-sha512"), (["-algorithm", "RSA"], ["-sha224"], nil),
      (["-algorithm", "RSA"], ["-sha256", "-sigopt", "rsa_padding_mode:pss"], nil),
      (OpenSSL.curve, ["-sha1"], "-sha256"), (OpenSSL.curve, ["-sha256"], "-sha256"),
      (OpenSSL.curve, ["-sha384"], "-sha384"), (OpenSSL.curve, ["-sha512"], "-sha512"),
      (["-algorithm", "ED25519"], [], nil),
    ] {
      let name = key.suffix(1).joined().replacing(":", with: "-")
      let (keyFile, file) = (folder.file("\(name).pem"), folder.file("certificate.der"))
      if !FileManager.default.fileExists(atPath: keyFile) {
        _ = try #require(try OpenSSL.run(["genpkey"] + key + ["-out", keyFile], in: folder))
      }
      let made = try OpenSSL.run(
        ["req", "-x509", "-new", "-key", keyFile, "-subj", "/CN=a.test", "-outform", "DER"]
          + options + ["-out", file], in: folder)
      // Some builds of OpenSSL do not sign with old hashes.
      guard made != nil else {
        #expect(["-sha1", "-md5"].contains(options[0]), "\(options)")
        continue
      }
      let certificate = [UInt8](try Data(contentsOf: URL(filePath: file)))
      let ours = SASLChannel.serverEndPoint(ofCertificateDER: certificate)
      let theirs = try hash.map { try OpenSSL.run(["dgst", "-r", $0, file], in: folder) }
      let digits = ours?.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
      #expect(digits == theirs??.prefix { $0 != " " }.description, "\(key) \(options)")
    }
  }
}

/// The program `openssl`.
enum OpenSSL {
  static let isInstalled = (try? TemporaryFolder()).flatMap { try? run(["version"], in: $0) } != nil

  static let curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]

  /// Its output; nil if it fails.
  static func run(_ arguments: [String], in folder: TemporaryFolder) throws -> String? {
    let output = folder.file("output")
    try Data().write(to: URL(filePath: output))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return try String(contentsOfFile: output, encoding: .utf8)
  }
}
