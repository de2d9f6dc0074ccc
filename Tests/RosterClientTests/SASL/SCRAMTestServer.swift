import Crypto
import Foundation

/// The server's side of SCRAM, written only for the tests from RFC 5802 §3: it shares nothing with
/// the client but HMAC.
struct SCRAMTestServer {
  enum Hash: CaseIterable { case sha1, sha256 }

  let hash: Hash
  /// The prepared password.
  let password: String
  let serverFirst: String
  /// The hash of the server's certificate, if a client has to bind to the channel.
  let certificateHash: [UInt8]?

  /// The server's last message to a client that proves that it knows the password; nil for all
  /// others.
  func final(first: String, final: String) -> String? {
    let headers = certificateHash == nil ? ["n,,", "y,,"] : ["p=tls-server-end-point,,"]
    guard let header = headers.first(where: first.hasPrefix) else { return nil }
    let bare = first.dropFirst(header.count)
    guard let split = final.range(of: ",p=", options: .backwards) else { return nil }
    let (withoutProof, proof) = (final[..<split.lowerBound], final[split.upperBound...])
    let channel = Data(Array(header.utf8) + (certificateHash ?? [])).base64EncodedString()
    let nonce = serverFirst.split(separator: ",")[0]
    guard withoutProof == "c=\(channel),\(nonce)" else { return nil }

    let salted = hi()
    let transcript = Array("\(bare),\(serverFirst),\(withoutProof)".utf8)
    let clientKey = hmac(salted, Array("Client Key".utf8))
    let signature = hmac(digest(clientKey), transcript)
    let wanted = Data(zip(clientKey, signature).map { $0 ^ $1 }).base64EncodedString()
    guard proof == wanted else { return nil }
    let verifier = hmac(hmac(salted, Array("Server Key".utf8)), transcript)
    return "v=" + Data(verifier).base64EncodedString()
  }

  private func attribute(_ name: String) -> String {
    let part = serverFirst.split(separator: ",").first { $0.hasPrefix(name + "=") }
    return String(part?.dropFirst(2) ?? "")
  }

  /// `Hi` of RFC 5802 §2.2.
  private func hi() -> [UInt8] {
    let salt = [UInt8](Data(base64Encoded: attribute("s")) ?? Data())
    let key = Array(password.utf8)
    var last = hmac(key, salt + [0, 0, 0, 1])
    var result = last
    for _ in 1..<(Int(attribute("i")) ?? 1) {
      last = hmac(key, last)
      for index in result.indices { result[index] ^= last[index] }
    }
    return result
  }

  private func hmac(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    let key = SymmetricKey(data: key)
    return switch hash {
    case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: bytes, using: key))
    case .sha256: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }
  }

  private func digest(_ bytes: [UInt8]) -> [UInt8] {
    switch hash {
    case .sha1: Array(Insecure.SHA1.hash(data: bytes))
    case .sha256: Array(SHA256.hash(data: bytes))
    }
  }
}
