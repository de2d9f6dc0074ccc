/// What shows nothing of what it holds, however it is printed: secrets, and what is made of them.
package protocol Undisclosed: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension Undisclosed {
  package var description: String { "\(Self.self)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
