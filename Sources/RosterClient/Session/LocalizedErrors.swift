public import Foundation

// `localizedDescription` of an error without this names only its type and a number.

extension LiveError: LocalizedError {
  /// The sentence for people.
  public var errorDescription: String? { description }
}

extension LiveFailure: LocalizedError {
  /// The sentence for people.
  public var errorDescription: String? { description }
}

extension UploadFailure: LocalizedError {
  /// The sentence for people.
  public var errorDescription: String? { description }
}

extension ResolvingFailure: LocalizedError {
  /// The sentence for people.
  public var errorDescription: String? { description }
}

extension ServerAddressError: LocalizedError {
  /// The sentence for people.
  public var errorDescription: String? { description }
}

extension SASLFailure: LocalizedError {
  /// The sentence for people.
  public var errorDescription: String? { description }
}
