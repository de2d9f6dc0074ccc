/// A type whose values never show their contents when printed: secrets and what is derived from
/// them.
package protocol Undisclosed: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension Undisclosed {
  package var description: String { "\(Self.self)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
