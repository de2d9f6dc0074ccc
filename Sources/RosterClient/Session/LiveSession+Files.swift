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
  /// A cancelled task and `close` end it; a lost connection does so until the service has given an
  /// address for the file.
  ///
  /// - Throws: `LiveError`: `upload` if the file cannot be uploaded, `timeout` if the server leaves
  ///   a question unanswered, `refused` if it refuses to list its services, and `failure` if the
  ///   connection is lost, the session is closed (`.over`) or the task is cancelled.
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
    var service = try await uploadService(at: domain)
    if service == nil {
      let items = try await answer(.element("query", Namespace.discoItems), from: domain).get()
      service = try await firstUploadService(of: UploadService.candidates(in: items))
    }
    guard let service else { throw .upload(.notOffered) }
    uploadService = service
    return service
  }

  /// The first of these addresses that takes files; nil if all of them say that they do not.
  private func firstUploadService(
    of addresses: [String]
  ) async throws(LiveError) -> UploadService? {
    // At once, because one that does not answer would hold up the others.
    let answers = await withTaskGroup(of: (Int, Result<UploadService?, LiveError>).self) { group in
      for (index, address) in addresses.enumerated() {
        group.addTask { () async -> (Int, Result<UploadService?, LiveError>) in
          do throws(LiveError) {
            return (index, .success(try await self.uploadService(at: address)))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      var answers: [(Int, Result<UploadService?, LiveError>)] = []
      for await answer in group { answers.append(answer) }
      return answers.sorted { $0.0 < $1.0 }.map(\.1)
    }
    if let service = answers.compactMap({ try? $0.get() }).first { return service }
    // Without an answer it is not known what an address does.
    for answer in answers { _ = try answer.get() }
    return nil
  }

  private func uploadService(at address: String) async throws(LiveError) -> UploadService? {
    do throws(LiveError) {
      let info = try await answer(.element("query", Namespace.discoInfo), from: address).get()
      return UploadService(address, info: info)
    } catch {
      guard case .refused = error else { throw error }
      return nil
    }
  }

  /// The result of a question before a file is sent.
  ///
  /// The error is never `outcomeUnknown`: a question changes nothing, and the file is not sent if a
  /// resumed session asks again. It is not thrown, because the optimizer of Swift 6.3 returns an
  /// invalid element from a function that is asynchronous and throws this type.
  private func answer(
    _ question: XMPPElement, from address: String
  ) async -> Result<XMPPElement, LiveError> {
    do throws(RequestFailure) {
      let answer = try await request { $0.submitted(.question(question, to: address)) }
      if case .result(let iq, _) = answer { return .success(iq) }
      return .failure(
        .failure(.protocolViolation("a question was not answered by a result")))
    } catch {
      switch error {
      case .refused(let reason): return .failure(.refused(reason))
      case .unanswered(.timeout, _): return .failure(.timeout)
      case .notSent(let failure), .unanswered(let failure, _): return .failure(.failure(failure))
      }
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
      let iq = try await answer(request, from: service.address).get()
      do throws(UploadFailure) {
        return try UploadSlot(iq)
      } catch {
        throw .upload(error)
      }
    } catch .refused(let error) {
      throw .upload(.slotRefused(error))
    }
  }

  // MARK: The file

  private func put(_ file: OutgoingFile, to slot: UploadSlot) async throws(LiveError) {
    let context: NIOSSLContext
    do throws(LiveFailure) {
      context = try Security.context(trusting: login.authority, protocols: ["http/1.1"])
    } catch {
      throw .failure(error)
    }
    guard phase.connects else { throw .failure(.over) }
    let number = nextWait()
    let outcome = loop.makePromise(of: Void.self)
    uploads[number] = outcome
    defer { uploads[number] = nil }
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

  /// Ends the uploads under way, because the session was closed or is over.
  func endUploads() {
    for outcome in uploads.values { outcome.fail(LiveFailure.over) }
    uploads = [:]
  }

  private func connection(
    for file: OutgoingFile, to slot: UploadSlot, _ context: NIOSSLContext,
    _ outcome: EventLoopPromise<Void>
  ) -> EventLoopFuture<any Channel> {
    let pause = TimeAmount.milliseconds(timeouts.upload)
    return ClientBootstrap(group: loop)
      .connectTimeout(.milliseconds(timeouts.connection))
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
