// swift-tools-version: 6.2

import PackageDescription

/// Every Swift target is built under the same rules; a warning is an error.
let rules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // Types that hold bytes in place, and functions that return them, as the standard library's do.
  .enableExperimentalFeature("Lifetimes"),
  .treatAllWarnings(as: .error),
]

/// The commit that is built: `tools/build` says it, for a manifest cannot find it out for certain.
/// A C define, because those of Swift have no values.
let commit = Context.environment["ROLLCALL_COMMIT"] ?? ""
let commitSettings: [CSetting] =
  commit.isEmpty ? [] : [.define("ROLLCALL_COMMIT", to: "\"\(commit)\"")]

let package = Package(
  name: "rollcall",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Rollcall", targets: ["Rollcall"]),
    .library(name: "RosterClient", targets: ["RosterClient"]),
    // Rosters for the tests and previews of applications.
    .library(name: "RollcallTesting", targets: ["RollcallTesting"]),
    // A contacts screen for SwiftUI.
    .library(name: "RollcallUI", targets: ["RollcallUI"]),
    // The parts one by one, for the benchmarks: nothing in them is promised.
    .library(
      name: "RollcallModules",
      targets: [
        "XMPPStanza", "XMPPStream", "RosterCore", "EventStore", "Captures", "ContactSections",
      ]),
    .executable(name: "rollcall", targets: ["RollcallProgram"]),
    // What needs a network stack, so that only those build one who want it.
    .executable(name: "rollcall-live", targets: ["RollcallLive"]),
    // The server of the page that shows a log; with the trait only.
    .executable(name: "rollcall-inspect", targets: ["RollcallInspect"]),
  ],
  traits: [
    .trait(
      name: "Inspect",
      description: "Builds rollcall-inspect, which needs an HTTP server that nothing else does."),
    // `.ci/run` builds it with everything else: with and without the trait, all is built twice.
    .default(
      enabledTraits: Context.environment["ROLLCALL_INSPECT"] == "1" ? ["Inspect"] : []),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    // The HTTP server of rollcall-inspect, without what it can be configured with.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    // A command for those who ask for the documentation; no product builds it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibXML2", pkgConfig: "libxml-2.0",
      providers: [.apt(["libxml2-dev", "pkg-config"]), .brew(["libxml2"])]),
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev", "pkg-config"]), .brew(["lmdb"])]),
    .systemLibrary(
      name: "CXXHash", pkgConfig: "libxxhash",
      providers: [.apt(["libxxhash-dev", "pkg-config"]), .brew(["xxhash"])]),
    .systemLibrary(
      name: "CNettle", pkgConfig: "nettle",
      providers: [.apt(["nettle-dev", "pkg-config"]), .brew(["nettle"])]),
    // C code for what Swift has no operation or call for, and the commit of the build.
    .target(
      name: "CShims", dependencies: ["CLibXML2"],
      cSettings: [.treatAllWarnings(as: .error)] + commitSettings,
      linkerSettings: [.linkedLibrary("resolv")]),

    .target(name: "RawBytes", dependencies: ["CShims"], swiftSettings: rules),
    // On Apple's systems, CryptoKit computes them.
    .target(
      name: "Digests",
      dependencies: [.target(name: "CNettle", condition: .when(platforms: [.linux]))],
      swiftSettings: rules),
    .target(
      name: "XMPPStanza", dependencies: ["RawBytes", "CShims"], swiftSettings: rules),
    .target(
      name: "XMPPStream", dependencies: ["RawBytes", "XMPPStanza", "CShims"],
      swiftSettings: rules),
    .target(
      name: "SessionCore", dependencies: ["RawBytes", "XMPPStanza"], swiftSettings: rules),
    .target(
      name: "RosterCore",
      dependencies: [
        "RawBytes", "XMPPStanza", "SessionCore",
        .product(name: "BitCollections", package: "swift-collections"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: rules),
    .target(
      name: "ConversationCore",
      dependencies: [
        "RawBytes", "Digests", "XMPPStanza", "SessionCore",
      ],
      swiftSettings: rules),
    .target(
      name: "EventStore",
      dependencies: [
        "RawBytes", "Digests", "CLMDB", "CXXHash",
        .product(name: "BitCollections", package: "swift-collections"),
      ],
      swiftSettings: rules),
    .target(
      name: "ContactSections", dependencies: ["RawBytes", "XMPPStanza"], swiftSettings: rules),
    .target(
      name: "Captures",
      dependencies: [
        "RawBytes", "Digests", "XMPPStanza", "XMPPStream", "SessionCore", "CShims",
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: rules),
    .target(
      name: "Rollcall",
      dependencies: [
        "RawBytes", "Digests", "XMPPStanza", "XMPPStream", "SessionCore", "RosterCore",
        "ConversationCore",
        "EventStore", "Captures", "ContactSections",
      ],
      exclude: ["Documents/documents.schema.json"], swiftSettings: rules),
    // The records of many accounts on one machine.
    .target(
      name: "FleetStore",
      dependencies: [
        "RawBytes", "XMPPStanza", "SessionCore", "RosterCore", "EventStore", "Captures", "Rollcall",
      ],
      swiftSettings: rules),
    .target(
      name: "RosterClient",
      dependencies: [
        "RawBytes", "Rollcall", "RosterCore", "ConversationCore", "XMPPStanza", "XMPPStream",
        "Captures", "CShims",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "X509", package: "swift-certificates"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: rules),
    .target(
      name: "RollcallTesting",
      dependencies: ["Rollcall", "RosterCore", "XMPPStanza", "XMPPStream"],
      swiftSettings: rules),
    .target(
      name: "RollcallUI", dependencies: ["ContactSections", "Rollcall", "RosterCore"],
      swiftSettings: rules),
    .target(
      name: "RosterProxy",
      dependencies: [
        "RawBytes",
        "RosterClient", "Rollcall", "RosterCore", "XMPPStanza", "XMPPStream", "Captures",
        "EventStore",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "X509", package: "swift-certificates"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      swiftSettings: rules),
    .target(
      name: "RollcallCLI",
      dependencies: [
        "RawBytes",
        "XMPPStanza", "XMPPStream", "RosterCore", "ConversationCore", "EventStore", "Captures",
        "Rollcall", "FleetStore", "ContactSections", "CShims",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Taps/mod_rollcall_tap.erl", "Taps/mod_rollcall_tap.lua"],
      swiftSettings: rules),
    // What the inspector answers, without a network.
    .target(
      name: "InspectorCore",
      dependencies: [
        "RawBytes", "XMPPStanza", "RosterCore", "EventStore", "Captures", "ContactSections",
        "Rollcall",
      ],
      exclude: ["Answers/answers.schema.json"], swiftSettings: rules),
    .executableTarget(
      name: "RollcallProgram", dependencies: ["RollcallCLI"], swiftSettings: rules),
    .executableTarget(
      name: "RollcallLive",
      dependencies: [
        "RollcallCLI", "RosterClient", "RosterProxy", "Rollcall", "ConversationCore", "XMPPStanza",
        "CShims",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: rules),
    .executableTarget(
      name: "RollcallInspect",
      dependencies: [
        "RollcallCLI", "InspectorCore", "Rollcall", "Captures",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(
          name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Inspect"])),
      ],
      exclude: ["Page"], swiftSettings: rules),

    .target(
      name: "TestSupport",
      dependencies: [
        "RawBytes",
        "XMPPStanza", "XMPPStream", "RosterCore", "ContactSections",
      ],
      path: "Tests/TestSupport", swiftSettings: rules),
    .executableTarget(
      name: "Scaling", dependencies: ["TestSupport"], path: "Tests/Scaling", swiftSettings: rules),
    .testTarget(
      name: "RawBytesTests", dependencies: ["RawBytes", "TestSupport"], swiftSettings: rules),
    .testTarget(
      name: "DigestsTests", dependencies: ["Digests", "TestSupport"], swiftSettings: rules),
    .testTarget(
      name: "XMPPStanzaTests", dependencies: ["RawBytes", "XMPPStanza", "TestSupport"],
      swiftSettings: rules),
    .testTarget(
      name: "XMPPStreamTests",
      dependencies: ["RawBytes", "XMPPStream", "XMPPStanza", "CShims", "TestSupport"],
      swiftSettings: rules),
    .testTarget(
      name: "SessionCoreTests", dependencies: ["SessionCore", "XMPPStanza", "TestSupport"],
      swiftSettings: rules),
    .testTarget(
      name: "RosterCoreTests",
      dependencies: [
        "RawBytes",
        "RosterCore", "XMPPStanza", "XMPPStream", "TestSupport",
      ],
      swiftSettings: rules),
    .testTarget(
      name: "ConversationCoreTests",
      dependencies: ["RawBytes", "ConversationCore", "XMPPStanza", "XMPPStream", "TestSupport"],
      swiftSettings: rules),
    .executableTarget(
      name: "EventStoreProbe",
      dependencies: ["EventStore", "Rollcall", "RosterCore", "XMPPStanza", "CLMDB"],
      path: "Tests/EventStoreProbe", swiftSettings: rules),
    .testTarget(
      name: "EventStoreTests",
      dependencies: [
        "EventStore", "EventStoreProbe", "CLMDB", "Rollcall", "RosterCore", "XMPPStanza",
        "TestSupport",
      ],
      swiftSettings: rules),
    .testTarget(
      name: "ContactSectionsTests",
      dependencies: ["ContactSections", "XMPPStanza", "TestSupport"],
      swiftSettings: rules),
    .testTarget(
      name: "CapturesTests",
      dependencies: [
        "RawBytes",
        "Captures", "RosterCore", "XMPPStanza", "XMPPStream", "TestSupport",
      ],
      swiftSettings: rules),
    .testTarget(
      name: "RollcallTests",
      dependencies: [
        "RawBytes",
        "Rollcall", "RosterCore", "ConversationCore", "Captures", "ContactSections", "EventStore",
        "XMPPStanza", "TestSupport",
      ],
      swiftSettings: rules),
    .testTarget(
      name: "FleetStoreTests",
      dependencies: [
        "FleetStore", "Rollcall", "RosterCore", "Captures", "EventStore", "XMPPStanza",
        "TestSupport",
      ],
      swiftSettings: rules),
    .testTarget(
      name: "RollcallTestingTests",
      dependencies: [
        "RollcallTesting", "Rollcall", "RosterCore", "ContactSections", "XMPPStanza",
      ],
      swiftSettings: rules),
    .testTarget(
      name: "RollcallUITests",
      dependencies: [
        "RollcallUI", "Rollcall", "RosterCore", "ContactSections", "XMPPStanza", "TestSupport",
      ],
      swiftSettings: rules),
    .testTarget(
      name: "RosterClientTests",
      dependencies: [
        "RosterClient", "Rollcall", "RosterCore", "XMPPStanza", "XMPPStream", "Captures",
        "EventStore", "TestSupport", "RollcallLive", "RosterProxy",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "X509", package: "swift-certificates"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
      ],
      exclude: ["RealServers/web_client.py"]
        + [
          "slixmpp_client.py", "aioxmpp_client.py", "finch_client.py", "gloox_client.cpp",
          "qxmpp_client.cpp",
        ].map { "Proxied/Clients/\($0)" },
      swiftSettings: rules),
    .testTarget(
      name: "RosterProxyTests",
      dependencies: [
        "RosterProxy", "RosterClient", "Rollcall", "RosterCore", "EventStore", "XMPPStanza",
        "XMPPStream", "TestSupport", .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: rules),
    .testTarget(
      name: "InspectorCoreTests",
      dependencies: [
        "InspectorCore", "Captures", "EventStore", "Rollcall", "RosterCore", "XMPPStanza",
        "TestSupport",
      ],
      swiftSettings: rules),
    .testTarget(
      name: "RollcallCLITests", dependencies: ["RollcallProgram", "Rollcall", "TestSupport"],
      swiftSettings: rules),
  ]
)

#if os(Linux)
  // Attacks the program that is built beside it: `tools/attack`, and briefly the tests. What it
  // loads into the program is for the C library of Linux.
  package.targets += [
    .executableTarget(
      name: "Attack",
      dependencies: [
        "Captures", "ContactSections", "EventStore", "Rollcall", "RollcallProgram", "RosterCore",
        "TestSupport", "XMPPStanza",
      ],
      path: "Tests/Attack", exclude: ["Shim"], swiftSettings: rules),
    .testTarget(
      name: "AttackTests", dependencies: ["Attack", "TestSupport"], swiftSettings: rules),
  ]
  package.targets.first { $0.name == "RosterClientTests" }?.dependencies.append("Attack")
#endif

// Most of the time of the tests is spent in what they test, so `tools/test` has it optimized:
// building takes longer, and running all tests half of the time. `assert` is still checked.
if Context.environment["ROLLCALL_OPTIMIZE"] == "1" {
  for target in package.targets where target.path == nil && target.type != .test {
    target.swiftSettings?.append(.unsafeFlags(["-O", "-assert-config", "Debug"]))
  }
}
