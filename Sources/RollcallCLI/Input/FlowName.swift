/// The name that tcpflow gives a file with one direction of a connection: from where and to where,
/// each with its port, such as `192.168.001.002.49152-010.000.000.001.05222`.
struct FlowName: Hashable {
  private let source: Substring
  private let target: Substring
  /// What follows the addresses, such as the number of a connection between the same ports.
  private let rest: Substring

  /// Nil if tcpflow writes no such name.
  init?(_ name: String) {
    guard let match = name.wholeMatch(of: /([0-9a-f:.]+\.\d{5})-([0-9a-f:.]+?\.\d{5})(\D.*)?/)
    else { return nil }
    (source, target, rest) = (match.1, match.2, match.3 ?? "")
  }

  private init(from source: Substring, to target: Substring, _ rest: Substring) {
    (self.source, self.target, self.rest) = (source, target, rest)
  }

  /// The name of the other direction.
  var reverse: FlowName { FlowName(from: target, to: source, rest) }
}
