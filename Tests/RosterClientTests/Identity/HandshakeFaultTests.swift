import Foundation
import TestSupport
import Testing
@testable import RosterClient

@Suite("Failed handshakes of TLS, in the user's terms") struct HandshakeFaultTests {
  @Test(
    "A reason of the library becomes a fault of our own",
    arguments: [
      (["TLSV1_ALERT_UNKNOWN_CA"], HandshakeFault.alert("unknown_ca")),
      (["SSLV3_ALERT_BAD_CERTIFICATE"], .alert("bad_certificate")),
      (["SSLV3_ALERT_CERTIFICATE_UNKNOWN"], .alert("certificate_unknown")),
      (["TLSV1_UNRECOGNIZED_NAME"], .alert("unrecognized_name")),
      // A client that sends its alert unencrypted where TLS 1.3 encrypts.
      (["BAD_PACKET_LENGTH", "DECRYPTION_FAILED_OR_BAD_RECORD_MAC"], .alert(nil)),
      (["WRONG_VERSION_NUMBER"], .notTLS), (["HTTP_REQUEST"], .notTLS),
      (["UNSUPPORTED_PROTOCOL"], .nothingInCommon), (["NO_SHARED_CIPHER"], .nothingInCommon),
      (["DECRYPTION_FAILED_OR_BAD_RECORD_MAC"], .failed), (["SOMETHING_NEW"], .failed),
      ([], .failed),
    ])
  func faults(_ reasons: [String], _ fault: HandshakeFault) {
    #expect(HandshakeFault(reasons: reasons) == fault)
    let isOurs = !reasons.contains { fault.sentence(about: "server").uppercased().contains($0) }
    #expect(isOurs)
  }

  @Test("A refused certificate is no fault of the handshake")
  func certificate() {
    #expect(HandshakeFault(reasons: ["CERTIFICATE_VERIFY_FAILED"]) == nil)
  }

  @Test("Only the alerts about our certificate are distrust")
  func distrust() {
    for name in ["unknown_ca", "bad_certificate", "certificate_unknown"] {
      #expect(HandshakeFault.alert(name).isDistrust)
    }
    for fault in [
      HandshakeFault.alert("handshake_failure"), .alert("protocol_version"), .alert(nil), .closed,
      .notTLS, .nothingInCommon, .failed,
    ] {
      #expect(!fault.isDistrust)
    }
  }

  @Test("A file that holds no certificate is refused with what it holds")
  func authorityFiles() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("authority.pem")
    let root = try MadeCertificate().root
    let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    let rows: [(Data, String?)] = [
      (Data(), "it is empty"), (Data("hello".utf8), "it has no certificate in PEM form"),
      (
        Data(key.utf8),
        "it has no certificate in PEM form (it begins with “-----BEGIN PRIVATE KEY-----”)"
      ),
      (
        Data(try MadeCertificate().leaf),
        "it is in DER form: openssl x509 -inform der converts it to PEM"
      ),
      (
        Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8),
        "a certificate in it cannot be decoded"
      ),
      (Data(root.utf8), nil), (Data((key + root).utf8), nil),
    ]
    for (bytes, reason) in rows {
      try bytes.write(to: URL(fileURLWithPath: path))
      #expect(try refusal(of: path) == reason.map { .authority(path: path, reason: $0) })
    }
    #expect(
      try refusal(of: folder.path)
        == .authority(path: folder.path, reason: "Is a directory"))
    let missing = folder.file("missing")
    #expect(
      try refusal(of: missing) == .authority(path: missing, reason: "No such file or directory"))
  }

  private func refusal(of path: String) throws -> LiveFailure? {
    do throws(LiveFailure) { try AuthorityFile.verify(path) } catch { return error }
    return nil
  }
}
