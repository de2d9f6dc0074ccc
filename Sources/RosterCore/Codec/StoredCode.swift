import XMPPStanza

/// A value that is stored as a number, which never changes when cases are added.
protocol StoredCode: CaseIterable {
  /// A number that no other value has. The number of a removed value is never used again.
  var code: UInt8 { get }
}

extension StoredCode {
  init?(code: UInt8) {
    guard let value = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = value
  }
}

extension RosterSubscription: StoredCode {
  var code: UInt8 {
    switch self {
    case .none: 0
    case .to: 1
    case .from: 2
    case .both: 3
    }
  }
}

extension Show: StoredCode {
  var code: UInt8 {
    switch self {
    case .available: 0
    case .chat: 1
    case .away: 2
    case .xa: 3
    case .dnd: 4
    }
  }
}

extension EndedRequest.Way: StoredCode {
  var code: UInt8 {
    switch self {
    case .accepted: 0
    case .denied: 1
    case .withdrawn: 2
    case .acceptedElsewhere: 3
    }
  }
}

extension RosterChange.OutgoingEnd: StoredCode {
  var code: UInt8 {
    switch self {
    case .accepted: 0
    case .refused: 1
    case .cancelled: 2
    case .subscribed: 3
    case .dropped: 4
    case .removed: 5
    case .neverShown: 6
    }
  }
}

extension Completeness: StoredCode {
  var code: UInt8 {
    switch self {
    case .neverFetched: 0
    case .baseUnknown: 1
    case .complete: 2
    }
  }
}

extension Session.InitialPresence: StoredCode {
  var code: UInt8 {
    switch self {
    case .unsent: 0
    case .sent: 1
    case .waiting: 2
    }
  }
}

extension SessionPhase: StoredCode {
  var code: UInt8 {
    switch self {
    case .unseen: 0
    case .negotiating: 1
    case .open: 2
    case .closed: 3
    case .foreign: 4
    }
  }
}
