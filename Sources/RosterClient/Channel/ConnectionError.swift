import NIOCore
import NIOPosix
import NIOSSL
import Rollcall

extension LiveFailure {
  /// The failure that an error of the connection, or of TLS on it, amounts to. No text of a library
  /// is in it.
  package init(connection error: any Error) {
    switch error {
    case let failure as LiveFailure: self = failure
    case NIOSSLError.handshakeFailed(let cause): self = Self(cause)
    case let cause as BoringSSLError: self = Self(cause)
    case is NIOSSLError, is NIOSSLExtraError: self = .handshake(.failed)
    default: self = .lost(reason: error.reason)
    }
  }

  private init(_ cause: BoringSSLError) {
    self = HandshakeFault(cause).map { .handshake($0) } ?? .certificate(.untrusted(issuer: nil))
  }
}

extension Error {
  /// The reason why a connection failed, in a clause without the operation that failed.
  ///
  /// What the system says is in its own words; texts of libraries are not repeated.
  package var reason: String {
    switch self {
    case let failed as NIOConnectionError:
      failed.connectionErrors.first?.error.reason ?? "no machine has its name"
    case let error as IOError: text(ofSystemCode: error.errnoCode)
    case let error as ChannelError: error.clause
    case is SocketAddressError: "no machine has its name"
    case let failure as LiveFailure: failure.description
    case let failure as ResolvingFailure: failure.description
    case let failure as RollcallError: failure.description
    default: "for an unknown reason"
    }
  }
}

extension ChannelError {
  fileprivate var clause: String {
    switch self {
    case .connectTimeout: "it does not answer"
    case .eof, .inputClosed, .outputClosed, .ioOnClosedChannel, .alreadyClosed: "it was closed"
    default: "for an unknown reason"
    }
  }
}
