// swift-tools-version: 6.2

import PackageDescription

let library: Target.Dependency = .product(name: "Rollcall", package: "rollcall")
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]

/// An application outside the repository, as far as the library can tell: it sees what is public.
let package = Package(
  name: "adopter",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "rollcall", path: "../..")],
  targets: [
    .executableTarget(name: "Adopter", dependencies: [library], swiftSettings: settings),
    // What the documentation lists: that it compiles is all that is asked of it.
    .target(name: "Listings", dependencies: [library], swiftSettings: settings),
  ])
