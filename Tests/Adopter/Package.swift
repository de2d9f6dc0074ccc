// swift-tools-version: 6.2

import PackageDescription

/// An application outside the repository, as far as the library can tell: it sees what is public.
let package = Package(
  name: "adopter",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "rollcall", path: "../..")],
  targets: [
    .executableTarget(
      name: "Adopter", dependencies: [.product(name: "Rollcall", package: "rollcall")],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
      ])
  ])
