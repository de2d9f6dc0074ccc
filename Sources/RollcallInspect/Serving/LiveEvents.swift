#if Inspect
  import Hummingbird
  import HummingbirdCore
  import InspectorCore
  import NIOCore
  import NIOPosix
  import ServiceLifecycle

  /// What becomes of a log, as server-sent events: one for each time that it has grown, with the
  /// numbers of what is new. A page that reads slowly gets the newest numbers only.
  struct LiveEvents: AsyncSequence, Sendable {
    /// How often the log is looked at.
    private static let interval = Duration.milliseconds(200)
    /// After how many looks without news a comment keeps the connection open: 15 seconds.
    private static let silence = 75

    private let log: InspectedLog
    private let after: UInt64
    private let generation: Int?

    /// - Parameters:
    ///   - after: The last record that the page has.
    ///   - generation: Which of the logs at the place it is of; nil for the one that is there.
    init(_ log: InspectedLog, after: UInt64, of generation: Int?) {
      self.log = log
      self.after = after
      self.generation = generation
    }

    struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let log: InspectedLog
      fileprivate var after: UInt64
      fileprivate var generation: Int?
      fileprivate var hasBegun = false

      /// The next event or comment; nil if the task is cancelled.
      mutating func next() async -> ByteBuffer? {
        guard hasBegun else {
          // The page knows by it that the events have begun.
          hasBegun = true
          return ByteBuffer(string: ": \n\n")
        }
        for _ in 0..<LiveEvents.silence {
          let (log, after, generation) = (log, after, generation)
          let news = try? await NIOThreadPool.singleton.runIfActive {
            try log.news(after: after, of: generation)
          }
          if let news = news ?? nil {
            (self.after, self.generation) = (news.head, news.generation)
            return ByteBuffer(string: "id: \(news.head)\nevent: head\ndata: \(news.document)\n\n")
          }
          do { try await Task.sleep(for: LiveEvents.interval) } catch { return nil }
        }
        return ByteBuffer(string: ": \n\n")
      }
    }

    func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(log: log, after: after, generation: generation)
    }

    /// Passes the events to `body` until the server or the connection ends.
    func write(_ body: (ByteBuffer) async throws -> Void) async throws {
      for try await event in cancelOnGracefulShutdown() { try await body(event) }
      try await body(ByteBuffer(string: "event: bye\ndata: {}\n\n"))
    }
  }
#endif
