import Crypto
import Foundation
import NIOSSL
@testable import RosterClient

/// The usual turns of a server, for scripts that deviate from them at some point.
enum LoginScript {
  typealias Turn = ScriptedServer.Turn
  static let password = "qing-chun-7"
  static let salt = "QSXCR+Q6sek8bf92"
  private static let saslNamespace = "urn:ietf:params:xml:ns:xmpp-sasl"

  static let startTLS = [
    Turn(heard: "<stream:stream", said: Talk.header + Talk.tlsFeatures),
    Turn(heard: "<starttls", said: Talk.proceed, after: .tls),
  ]

  static func mechanisms(_ names: [String], binding: String? = nil) -> String {
    let list = names.map { "<mechanism>\($0)</mechanism>" }.joined()
    let bindings = binding.map {
      "<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'><channel-binding type='\($0)'/>"
        + "</sasl-channel-binding>"
    }
    return Talk.features(
      "<mechanisms xmlns='\(saslNamespace)'>\(list)</mechanisms>" + (bindings ?? ""))
  }

  static func offer(_ names: [String] = ["SCRAM-SHA-256"], binding: String? = nil) -> Turn {
    Turn(heard: "<stream:stream", said: Talk.header + mechanisms(names, binding: binding))
  }

  // MARK: SCRAM

  static func first(of heard: String) -> String {
    words(heard, "<initial-response>", "</initial-response>") ?? words(heard, "<auth ", "</auth>")
      ?? ""
  }

  /// The content of the last element of this kind, decoded from Base64.
  private static func words(_ heard: String, _ start: String, _ end: String) -> String? {
    guard let begin = heard.range(of: start, options: .backwards),
      let close = heard.range(of: end, range: begin.upperBound..<heard.endIndex)
    else { return nil }
    let inside = heard[begin.upperBound..<close.lowerBound]
    let base64 = inside.split(separator: ">").last.map(String.init) ?? ""
    return Data(base64Encoded: base64).map { String(decoding: $0, as: UTF8.self) }
  }

  static func serverFirst(_ heard: String, iterations: Int = 4096) -> String {
    let nonce = first(of: heard).components(separatedBy: "r=").last ?? ""
    return "r=\(nonce)srv,s=\(salt),i=\(iterations)"
  }

  static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  static func challenge(_ message: @escaping @Sendable (String) -> String) -> Turn {
    Turn(heard: "</auth>", said: "") { heard in
      "<challenge xmlns='\(saslNamespace)'>\(base64(message(heard)))</challenge>"
    }
  }

  /// The server's proof to the client that it knows the password; nil if the client's proof is
  /// wrong.
  static func proof(
    _ heard: String, _ certificate: [UInt8]? = nil, knowing password: String = password
  ) -> String? {
    SCRAMTestServer(
      hash: .sha256, password: password, serverFirst: serverFirst(heard),
      certificateHash: certificate
    ).final(first: first(of: heard), final: words(heard, "<response ", "</response>") ?? "")
  }

  static func success(_ message: String) -> String {
    "<success xmlns='\(saslNamespace)'>\(base64(message))</success>"
  }
  static let refusal = "<failure xmlns='\(saslNamespace)'><not-authorized/></failure>"

  static func letIn(
    _ certificate: [UInt8]? = nil, knowing password: String = password
  ) -> Turn {
    Turn(heard: "</response>", said: "") { heard in
      proof(heard, certificate, knowing: password).map(success) ?? refusal
    }
  }

  /// Logs the client in, up to the features that follow.
  static let login = login(knowing: password)

  static func login(knowing password: String) -> [Turn] {
    [offer(), challenge { serverFirst($0) }, letIn(knowing: password)]
  }

  // MARK: The session

  static func binding(_ features: String = Talk.bind) -> Turn {
    Turn(heard: "<stream:stream", said: Talk.header + Talk.features(features))
  }

  /// The value of the last `id` that was received before a text.
  static func id(_ heard: String, before text: String) -> String {
    let head = heard.range(of: text, options: .backwards).map { heard[..<$0.lowerBound] } ?? ""
    let start = head.range(of: " id=\"", options: .backwards)?.upperBound
    return start.map { String(head[$0...].prefix { $0 != "\"" }) } ?? ""
  }

  static let bound = Turn(heard: "</bind></iq>", said: "") { heard in
    Talk.bound(id(heard, before: "<bind "))
  }

  /// Sends the roster, and a text after it.
  static func roster(_ items: String = "", then: String = "") -> Turn {
    Turn(heard: "jabber:iq:roster", said: "") { heard in
      let id = id(heard, before: "<query xmlns=\"jabber:iq:roster\"")
      let query = "<query xmlns='jabber:iq:roster'>\(items)</query>"
      return "<iq type='result' id='\(id)'>\(query)</iq>\(then)"
    }
  }

  static let online = startTLS + login + [binding(), bound]

  /// Ends a session for good when it reconnects.
  static let last = [
    Turn(
      heard: "<stream:stream",
      said: Talk.header + """
        <stream:error><host-gone xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>
        """)
  ]
}

extension Certificates {
  /// The certificate for all tests that need no other.
  static let usual = Result { try Certificates(for: ["example.test"]) }

  func context(_ change: (inout TLSConfiguration) -> Void = { _ in }) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    change(&configuration)
    return try NIOSSLContext(configuration: configuration)
  }

  /// The data of `tls-server-end-point`; the certificate is signed with SHA-256.
  var endPoint: [UInt8] {
    get throws {
      let der = try NIOSSLCertificate.fromPEMFile(certificate)[0].toDERBytes()
      return Array(SHA256.hash(data: der))
    }
  }
}
