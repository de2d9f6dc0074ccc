#if Inspect
  import HTTPTypes
  import Hummingbird
  import HummingbirdCore
  import InspectorCore
  import NIOCore
  import NIOPosix
  import Synchronization

  /// Answers each request: with a file of the page, or with what the inspector says.
  final class InspectorResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    private let inspector: Inspector
    /// Nil until the port is known.
    private let gate = Mutex<Gate?>(nil)
    private let streams = StreamCount()

    init(_ inspector: Inspector) {
      self.inspector = inspector
    }

    /// Lets requests through a gate from now on.
    func begin(_ gate: Gate) {
      self.gate.withLock { $0 = gate }
    }

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
      let head = Gate.Head(request)
      guard let gate = gate.withLock({ $0 }) else {
        return Response(Refusal(421, "wrong-host", "the server is not ready"), isPrivate: true)
      }
      let isPrivate = Gate.isPrivate(head.target)
      if let refusal = gate.refusal(of: head) { return Response(refusal, isPrivate: isPrivate) }
      guard isPrivate else { return page(head.target, request) }
      do {
        return try await answer(head, request)
      } catch let refusal as Refusal {
        return Response(refusal, isPrivate: true)
      }
    }

    // MARK: The page

    private func page(_ target: String, _ request: Request) -> Response {
      let path = String(target.prefix { $0 != "?" })
      guard let file = embeddedFiles[path] else {
        return Response(
          Refusal(404, "no-such-path", "there is nothing at this path"), isPrivate: false)
      }
      let tag = "\"\(file.digest)\""
      var headers = HTTPFields(isPrivate: false)
      headers[.eTag] = tag
      if request.headers[.ifNoneMatch] == tag {
        return Response(status: .notModified, headers: headers)
      }
      headers[.contentType] = file.type
      return Response(
        status: .ok, headers: headers,
        body: ResponseBody(byteBuffer: ByteBuffer(staticString: file.text)))
    }

    // MARK: The log

    private func answer(_ head: Gate.Head, _ request: Request) async throws -> Response {
      var body: [UInt8] = []
      if head.method == "POST" {
        do {
          body = [UInt8](buffer: try await request.body.collect(upTo: Gate.bodyLimit))
        } catch is NIOTooManyBytesError {
          throw Refusal(413, "too-large", "the body has more than \(Gate.bodyLimit) bytes")
        }
      }
      let method: InspectorRequest.Method = head.method == "POST" ? .post : .get
      let asked = try InspectorRequest(method, target: head.target, body: body)
      if method == .get, asked.path == ["live"] { return try live(asked, request) }
      let inspector = inspector
      // Reading a log can take a while, and waits for others: not on the threads of the sockets.
      let answer = try await NIOThreadPool.singleton.runIfActive { inspector.answer(asked) }
      return Response(answer)
    }

    private func live(_ asked: InspectorRequest, _ request: Request) throws -> Response {
      guard let number = Int(asked.query["log"] ?? "0"), inspector.logs.indices.contains(number),
        let after = UInt64(asked.query["after"] ?? "0")
      else { throw Refusal(400, "bad-request", "use after=N, the last record that the page has") }
      guard let place = streams.take() else {
        throw Refusal(503, "too-many-streams", "too many pages follow this log: close one of them")
      }
      let events = LiveEvents(
        inspector.logs[number], after: after, of: asked.query["generation"].flatMap { Int($0) })
      var headers = HTTPFields(isPrivate: true)
      headers[.contentType] = "text/event-stream"
      return Response(
        status: .ok, headers: headers,
        body: ResponseBody { writer in
          defer { withExtendedLifetime(place) {} }
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await events.write { try await writer.write($0) }
          }
          try await writer.finish(nil)
        })
    }
  }

  /// How many pages follow a log.
  private final class StreamCount: Sendable {
    private static let limit = 8

    private let count = Mutex(0)

    /// A place among those that follow, which is free again when it is released.
    final class Place: Sendable {
      private let counter: StreamCount

      fileprivate init(_ counter: StreamCount) { self.counter = counter }

      deinit { counter.count.withLock { $0 -= 1 } }
    }

    /// A place; nil if all are taken.
    func take() -> Place? {
      let isFree = count.withLock { count in
        guard count < Self.limit else { return false }
        count += 1
        return true
      }
      return isFree ? Place(self) : nil
    }
  }

  // MARK: Heads

  extension Gate.Head {
    fileprivate init(_ request: Request) {
      // The first is the authority; further ones stay among the headers.
      let further = HTTPField.Name("Host").map { request.headers[values: $0] } ?? []
      self.init(
        method: request.method.rawValue, target: request.head.path ?? "",
        hosts: (request.head.authority.map { [$0] } ?? []) + further,
        origins: request.headers[values: .origin],
        authorizations: request.headers[values: .authorization],
        contentType: request.headers[.contentType],
        contentLength: request.headers[.contentLength].flatMap { Int($0) })
    }
  }

  extension HTTPFields {
    fileprivate init(isPrivate: Bool) {
      self.init()
      for (name, value) in SecurityHeaders.all(isPrivate: isPrivate) {
        if let name = HTTPField.Name(name) { self[name] = value }
      }
    }
  }

  extension Response {
    fileprivate init(_ refusal: Refusal, isPrivate: Bool) {
      self.init(InspectorAnswer(refusal), isPrivate: isPrivate)
    }

    fileprivate init(_ answer: InspectorAnswer, isPrivate: Bool = true) {
      var headers = HTTPFields(isPrivate: isPrivate)
      headers[.contentType] = answer.contentType
      if let name = answer.fileName {
        headers[.contentDisposition] = "attachment; filename=\"\(name)\""
      }
      self.init(
        status: HTTPResponse.Status(code: answer.status), headers: headers,
        body: ResponseBody(parts: answer.body))
    }
  }

  extension ResponseBody {
    /// The most bytes that are written at a time.
    private static let partSize = 64 << 10

    /// A body that is written in parts: a deadline holds for each of them.
    fileprivate init(parts bytes: [UInt8]) {
      self.init(contentLength: bytes.count) { writer in
        var rest = bytes[...]
        while !rest.isEmpty {
          try await writer.write(ByteBuffer(bytes: rest.prefix(Self.partSize)))
          rest = rest.dropFirst(Self.partSize)
        }
        try await writer.finish(nil)
      }
    }
  }
#endif
