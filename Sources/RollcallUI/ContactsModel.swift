public import ContactSections
public import Observation
public import Rollcall
public import RosterCore

/// A contacts screen for SwiftUI: the sections, the badge and the connection of a session.
///
///     struct ContactsView: View {
///       @State private var model = ContactsModel<LiveState>()
///       let session: LiveSession
///
///       var body: some View {
///         List(model.sections) { section in
///           Section(section.title) {
///             ForEach(section.rows) { row in Text(row.contact?.displayName ?? "") }
///           }
///         }
///         .task { await model.follow(await session.screens()) }
///       }
///     }
///
/// A view is drawn again only for what it has read and has changed. Everything changes together, so
/// no view shows the badge of one moment beside the rows of another.
@MainActor @Observable public final class ContactsModel<Connection: Equatable & Sendable> {
  /// The sections with their rows, in order.
  public private(set) var sections: [ScreenSection] = []
  /// The number of requests that the user has not seen: the badge.
  public private(set) var unseenCount = 0
  /// The state of the connection; nil before the first update.
  public private(set) var connection: Connection?
  /// The last update; nil before the first one.
  public private(set) var update: ScreenUpdate<Connection>?

  /// An empty screen.
  public init() {}

  /// The roster that the screen shows; empty before the first update.
  public var roster: Roster { update?.roster ?? Roster() }

  /// Shows the updates of a session until it is over or the task is cancelled.
  public func follow(_ updates: ScreenUpdates<Connection>) async {
    for await update in updates { show(update) }
  }

  /// Shows an update, also if those before it were left out.
  public func show(_ update: ScreenUpdate<Connection>) {
    self.update = update
    if sections != update.sections { sections = update.sections }
    if unseenCount != update.unseenCount { unseenCount = update.unseenCount }
    if connection != update.connection { connection = update.connection }
  }

  /// The friends that match a text, best match first; see `SectionIndex.search`.
  public func search(_ text: String) -> [ListedContact] {
    update?.screen.index.search(NameQuery(text)) ?? []
  }
}
