import Captures
import EventStore
import Foundation
import Rollcall

/// Bad input or a failed operation, as a sentence that names the source.
package struct Failure: Error, CustomStringConvertible {
  package let description: String
  /// The underlying error, if any.
  package let cause: (any Error)?

  package init(_ description: String) {
    self.description = description
    cause = nil
  }

  /// An error prefixed with the file, unless the error names it itself.
  package init(_ error: any Error, in path: String) {
    let error = (error as? RollcallError)?.underlying ?? error
    cause = error
    description =
      switch error {
      case let error as CaptureError: "\(path):\(error.line): \(error)"
      case let error as EventLogError where error.code == .damaged:
        (error.path == nil ? "\(path): \(error)" : "\(error)")
          + "; rollcall verify says what is damaged, and rollcall recover saves the rest"
      case let error as EventLogError where error.path != nil: "\(error)"
      default: "\(path): \(sentence(of: error))"
      }
  }

  /// Runs `body` and adds the name of the file to its errors.
  package static func naming<R>(_ path: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as OutputError {
      throw error
    } catch let failure as Failure {
      throw failure
    } catch let nothing as NothingFound {
      throw nothing
    } catch {
      throw Failure(error, in: path)
    }
  }
}

/// The question was valid, but the answer is that there is nothing.
package struct NothingFound: Error {
  /// The sentence to print; nil if the output has already said so.
  package let sentence: String?

  package init(sentence: String?) {
    self.sentence = sentence
  }
}
