import FleetStore
import Foundation
import TestSupport

/// Lines of a tap, written by hand.
enum TapLine {
  /// The time from which tests count, in milliseconds since 1970.
  static let start: Int64 = 1_795_168_200_000

  static func first(_ boot: String) -> String {
    #"{"rollcall-tap":1,"boot":"\#(boot)","segment":1,"server":"Prosody 0.12.3","what":"all"}"#
  }

  /// A roster that the server has stored, with contacts and their subscriptions.
  static func stored(
    _ account: String, _ items: [(String, String)], at time: Int64 = start
  ) -> String {
    #"{"t":\#(time),"a":"\#(account)","stored":"all","xml":"<iq type='result' id='r'><query xmlns='jabber:iq:roster'>\#(text(items))</query></iq>","asked":[]}"#
  }

  /// Presence that changes no roster.
  static func presence(_ account: String, at time: Int64) -> String {
    #"{"t":\#(time),"c":1,"a":"\#(account)","dir":"in","xml":"<presence from='\#(account)/r'/>"}"#
  }

  private static func text(_ items: [(String, String)]) -> String {
    items.map { "<item jid='\($0.0)' subscription='\($0.1)'/>" }.joined()
  }
}

extension FleetCase {
  /// Writes a segment of the spool.
  func write(_ lines: [String], _ name: String) throws {
    let text = lines.map { $0 + "\n" }.joined()
    try Data(text.utf8).write(to: URL(filePath: "\(spool)/\(name)"))
  }
}
