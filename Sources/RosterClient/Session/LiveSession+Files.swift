import ConversationCore
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
public import Rollcall
import XMPPStanza

// Files: the stream asks for an address for each, and HTTP takes the file there (XEP-0363).
extension LiveSession {
  /// Uploads a file and sends a message that shares it, such as a picture or a recording.
  ///
  /// The message has the address for clients that know XEP-0066 or nothing of files. For those that
  /// know XEP-0447 it has the name, type, size, digest, dimensions and length, read from the bytes.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - text: A text beside it.
  ///   - jid: The recipient.
  /// - Returns: The message that was sent.
  /// - Throws: `LiveError` as `upload` and `send`.
  @discardableResult
  public func send(
    _ file: OutgoingFile, text: String = "", to jid: JID
  ) async throws(LiveError) -> ChatMessage {
    var message = ChatMessage(text, to: jid)
    message.file = try await upload(file)
    try await send(message)
    return message
  }

  /// Uploads a file to the service that the server offers.
  ///
  /// The file is sent to the address that the service gave for it, over TLS with the certificate
  /// checked as for the stream, and no redirection is followed. The session continues meanwhile.
  ///
  /// The longest wait is 65 seconds for each of up to four answers of the server, 30 seconds for
  /// each 64 KiB that the host takes, and for the whole file a minute and a second for each 16 KiB.
  /// A cancelled task ends it.
  ///
  /// - Throws: `LiveError`: `upload` if the file cannot be uploaded; otherwise as `send(_:)` of a
  ///   stanza.
  public func upload(_ file: OutgoingFile) async throws(LiveError) -> SharedFile {
    guard !file.bytes.isEmpty else { throw .upload(.empty) }
    let service = try await knownUploadService()
    let size = file.bytes.count
    let limit = min(service.byteLimit ?? OutgoingFile.byteLimit, OutgoingFile.byteLimit)
    guard size <= limit else { throw .upload(.tooLarge(size: size, limit: limit)) }
    let slot = try await slot(for: file, at: service)
    try await put(file, to: slot)
    return SharedFile(file, at: slot.download)
  }

  // MARK: The service

  /// The service that takes files; looked up once in a session.
  private func knownUploadService() async throws(LiveError) -> UploadService {
    if let uploadService { return uploadService }
    let domain = login.account.domain
    if let own = try await uploadService(at: domain) { return own }
    let query = XMPPElement.element("query", Namespace.discoItems)
    var items: [String] = []
    if case .result(let iq, _) = try await send(.question(query, to: domain)) {
      items = UploadService.candidates(in: iq)
    }
    // At once, because one that does not answer would hold up the others.
    let found = await withTaskGroup(of: (Int, UploadService?).self) { group in
      for (index, item) in items.enumerated() {
        group.addTask { (index, try? await self.uploadService(at: item)) }
      }
      var found: [(Int, UploadService?)] = []
      for await answer in group { found.append(answer) }
      return found
    }
    let services = found.sorted { $0.0 < $1.0 }.compactMap(\.1)
    guard let service = services.first else {
      if Task.isCancelled { throw .failure(.cancelled) }
      throw .upload(.notOffered)
    }
    uploadService = service
    return service
  }

  private func uploadService(at address: String) async throws(LiveError) -> UploadService? {
    let query = XMPPElement.element("query", Namespace.discoInfo)
    do throws(LiveError) {
      guard case .result(let iq, _) = try await send(.question(query, to: address)) else {
        return nil
      }
      return UploadService(address, info: iq)
    } catch {
      guard case .refused = error else { throw error }
      return nil
    }
  }

  private func slot(
    for file: OutgoingFile, at service: UploadService
  ) async throws(LiveError) -> UploadSlot {
    let request = XMPPElement.element(
      "request", Namespace.upload,
      [
        ("filename", file.name), ("size", "\(file.bytes.count)"),
        ("content-type", file.mediaType),
      ])
    do throws(LiveError) {
      guard case .result(let iq, _) = try await send(.question(request, to: service.address)) else {
        throw .upload(.unfitSlot("an address is missing in it"))
      }
      do throws(UploadFailure) {
        return try UploadSlot(iq, for: file.bytes.count)
      } catch {
        throw .upload(error)
      }
    } catch .refused(let error) {
      throw .upload(.slotRefused(error))
    }
  }

  // MARK: The file

  private func put(_ file: OutgoingFile, to slot: UploadSlot) async throws(LiveError) {
    guard file.bytes.count <= slot.size else {
      throw .upload(.tooLarge(size: file.bytes.count, limit: slot.size))
    }
    let context: NIOSSLContext
    do throws(LiveFailure) {
      context = try Security.context(trusting: login.authority, protocols: ["http/1.1"])
    } catch {
      throw .failure(error)
    }
    let outcome = loop.makePromise(of: Void.self)
    let connecting = connection(for: file, to: slot, context, outcome)
    connecting.whenFailure { error in
      outcome.fail(UploadFailure.unreachable(host: slot.host, reason: error.reason))
    }
    let deadline = loop.scheduleTask(in: Self.longestUpload(of: file.bytes.count)) {
      outcome.fail(UploadFailure.timeout(host: slot.host))
    }
    do {
      try await withTaskCancellationHandler {
        try await outcome.futureResult.get()
      } onCancel: {
        outcome.fail(LiveFailure.cancelled)
      }
      deadline.cancel()
    } catch {
      deadline.cancel()
      connecting.whenSuccess { $0.close(promise: nil) }
      throw Self.error(of: error, at: slot.host)
    }
  }

  private func connection(
    for file: OutgoingFile, to slot: UploadSlot, _ context: NIOSSLContext,
    _ outcome: EventLoopPromise<Void>
  ) -> EventLoopFuture<any Channel> {
    let pause = TimeAmount.milliseconds(patience.upload)
    return ClientBootstrap(group: loop)
      .connectTimeout(.milliseconds(patience.connection))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()),
            NIOHTTPRequestHeadersValidator(),
            UploadHandler(file, to: slot, pause: pause, outcome: outcome),
          ])
          try Security.begin(on: channel, context, domain: slot.host)
        }
      }
      .connect(host: slot.host, port: slot.port)
  }

  /// The longest time for a file: a minute, and a second for each 16 KiB.
  private static func longestUpload(of size: Int) -> TimeAmount {
    .seconds(60 + Int64(size / (16 << 10)))
  }

  private static func error(of error: any Error, at host: String) -> LiveError {
    switch error {
    case let failure as UploadFailure: .upload(failure)
    case let failure as LiveFailure: .failure(failure)
    default: .upload(UploadFailure(error, from: host))
    }
  }
}

extension XMPPElement {
  /// A request to a service, whose id the session chooses.
  static func question(_ payload: XMPPElement, to jid: String? = nil) -> XMPPElement {
    element("iq", Namespace.client, [("type", "get"), ("to", jid)], [payload])
  }
}
