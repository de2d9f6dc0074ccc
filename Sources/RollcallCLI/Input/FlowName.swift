/// The name that tcpflow gives a file with one direction of a connection: the source and the
/// target, each with its port, such as `192.168.001.002.49152-010.000.000.001.05222`.
struct FlowName: Hashable {
  private let source: Substring
  private let target: Substring
  /// The part after the addresses, such as the number of a connection between the same ports.
  private let rest: Substring

  /// Parses a file name; nil if tcpflow writes no such names.
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
