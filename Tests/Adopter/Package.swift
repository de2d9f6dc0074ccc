// swift-tools-version: 6.2

import PackageDescription

let library: Target.Dependency = .product(name: "Rollcall", package: "rollcall")
let views: Target.Dependency = .product(name: "RollcallUI", package: "rollcall")
let samples: Target.Dependency = .product(name: "RollcallTesting", package: "rollcall")
let client: Target.Dependency = .product(name: "RosterClient", package: "rollcall")
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]

/// An application that sees only the public API of the library, like one in another repository.
let package = Package(
  name: "adopter",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "rollcall", path: "../..")],
  targets: [
    .executableTarget(
      name: "Adopter", dependencies: [library, samples], swiftSettings: settings),
    // The tutorials' application with a chat, against a server of its own.
    .executableTarget(name: "Chat", dependencies: [library, client], swiftSettings: settings),
    // The same screen for SwiftUI and for a diffable data source.
    .executableTarget(
      name: "Screens", dependencies: [library, views, samples], swiftSettings: settings),
    // The listings of the documentation, which only have to compile.
    .target(name: "Listings", dependencies: [library], swiftSettings: settings),
  ])
