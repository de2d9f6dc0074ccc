import ConversationCore
import Foundation
import Rollcall
import XMPPStanza

/// The place that a service granted for one file (XEP-0363 §5).
struct UploadSlot: Hashable, Sendable {
  /// A header field of HTTP.
  struct Field: Hashable, Sendable {
    var name: String
    var value: String
  }

  /// The host to send the file to, in ASCII, or an address without brackets.
  var host: String
  var port: Int
  /// The path and query of the address, as HTTP sends them.
  var target: String
  /// The fields to send with the file: only those that XEP-0363 allows.
  var fields: [Field]
  /// Where the file can be fetched afterward.
  var download: String

  /// The names of the fields that a slot may ask for, in lower case (XEP-0363 §5).
  private static let allowedFields: Set = ["authorization", "cookie", "expires"]
  /// The maximum length of an address in bytes.
  private static let addressLimit = 8 << 10

  /// Reads the result of a slot request.
  ///
  /// - Throws: `UploadFailure.unfitSlot` if an address in it is missing or cannot be used.
  init(_ iq: XMPPElement) throws(UploadFailure) {
    let slot = iq.child("slot", in: Namespace.upload)
    let put = slot?.child("put", in: Namespace.upload)
    guard let upload = put?.attribute("url"),
      let download = slot?.child("get", in: Namespace.upload)?.attribute("url")
    else { throw .unfitSlot("an address is missing in it") }
    let address = try Self.address(upload)
    _ = try Self.address(download)
    (host, port, target) = (address.host, address.port, address.target)
    self.download = download
    fields = put.map { Array($0.children) }?.compactMap { Self.field($0) } ?? []
  }

  /// The value for the field `Host` (RFC 9110 §7.2).
  var hostField: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? name : "\(name):\(port)"
  }

  private static func field(_ header: XMPPElement) -> Field? {
    guard header.is("header", in: Namespace.upload), let name = header.attribute("name") else {
      return nil
    }
    let field = Field(name: name.withoutControls, value: header.text.withoutControls)
    return allowedFields.contains(field.name.lowercased()) ? field : nil
  }

  private static func address(
    _ text: String
  ) throws(UploadFailure) -> (host: String, port: Int, target: String) {
    // Foundation would encode blanks and line breaks, which no address has (RFC 3986 §2).
    guard text.utf8.count <= addressLimit, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
      let url = URLComponents(string: text)
    else { throw .unfitSlot("an address in it cannot be read") }
    guard url.scheme?.lowercased() == "https" else {
      throw .unfitSlot(
        "an address in it is not of HTTPS, so that others could read or change the file")
    }
    guard url.user == nil, url.password == nil else {
      throw .unfitSlot("an address in it has a user name")
    }
    guard let host = url.host.flatMap({ host(named: $0) }) else {
      throw .unfitSlot("an address in it has no host that can be looked up")
    }
    let port = url.port ?? 443
    guard (1...65535).contains(port) else {
      throw .unfitSlot("an address in it has no usable port")
    }
    let path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
    let target = path + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
    guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .unfitSlot("an address in it has a character that HTTP does not allow")
    }
    return (host, port, target)
  }

  /// The name or address of a host as it is looked up and compared with a certificate.
  private static func host(named text: String) -> String? {
    let plain =
      text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    if let literal = plain.addressLiteral { return literal }
    let name = plain.inASCII.lowercased()
    return name.isHostName ? name : nil
  }
}

extension String {
  /// The text without control characters, above all line ends, which would begin another field.
  fileprivate var withoutControls: String {
    String(String.UnicodeScalarView(unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
  }
}
