// swift-tools-version: 6.3

import PackageDescription

/// The benchmarks measure the library's modules one by one, and those speak to each other by
/// `package` access, which ends at a package's border. Making them public for the benchmarks'
/// sake would make promises to users that nobody means. So the targets below that use them are
/// compiled as part of that package: `packageAccess: false` leaves SwiftPM's own package name out,
/// and the flag gives the library's. SwiftPM names a package that lies at a path after its folder;
/// unsafe flags are allowed here because this is always the root package.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
let name = folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
// As SwiftPM makes an identifier of a name: no digit stands at its head.
let library = String((name.first?.isNumber == true ? ["_"] : name.prefix(1)) + name.dropFirst())

let rules: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// On Linux the runtime is linked in, as in the program that others get
// (`tools/build --standalone`): to call it in a library of its own costs 4 % of an import.
// What compiles with the flag says to the linker which libraries Foundation needs then.
let standalone = BuildSettingCondition.when(platforms: [.linux])
let compiled = [SwiftSetting.unsafeFlags(["-static-stdlib"], standalone)]
let linked = [LinkerSetting.unsafeFlags(["-static-stdlib"], standalone)]

let package = Package(
  name: "rollcall-benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "generate-capture", targets: ["GenerateCapture"]),
    .executable(name: "bench-work", targets: ["BenchWork"]),
    .executable(name: "bench-table", targets: ["BenchTable"]),
    .executable(name: "evaluate-names", targets: ["EvaluateNames"]),
  ],
  dependencies: [
    .package(name: "rollcall", path: ".."),
    // Without its traits, which count allocations by replacing malloc.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .systemLibrary(
      name: "SystemXML", pkgConfig: "libxml-2.0",
      providers: [.apt(["libxml2-dev", "pkg-config"]), .brew(["libxml2"])]),
    .systemLibrary(
      name: "SystemLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev", "pkg-config"]), .brew(["lmdb"])]),
    // The least that could be done, in C.
    .target(
      name: "Floors", dependencies: ["SystemXML", "SystemLMDB"],
      cSettings: [.treatAllWarnings(as: .error)]),

    // Captures with known answers; uses nothing of the library.
    .target(name: "CaptureGenerator", swiftSettings: rules),
    .executableTarget(
      name: "GenerateCapture", dependencies: ["CaptureGenerator"], swiftSettings: rules),

    // What is measured, each work with its floor and its check.
    .target(
      name: "Works",
      dependencies: [
        "CaptureGenerator", "Floors", .product(name: "RollcallModules", package: "rollcall"),
        .product(name: "Rollcall", package: "rollcall"),
      ],
      packageAccess: false,
      swiftSettings: rules + [.unsafeFlags(["-package-name", library])]),
    // Runs one work by itself: to count instructions, to measure memory, to profile.
    .executableTarget(
      name: "BenchWork", dependencies: ["Works", "CaptureGenerator"],
      swiftSettings: rules + compiled, linkerSettings: linked),
    // All of them, as benchmarks.
    .executableTarget(
      name: "Suite",
      dependencies: [
        "Works", "CaptureGenerator", .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Suite", swiftSettings: [.swiftLanguageMode(.v6)] + compiled, linkerSettings: linked,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    // Makes the table of what the suite measured.
    .executableTarget(
      name: "BenchTable", dependencies: ["Works", "CaptureGenerator"], swiftSettings: rules),
    // How well names are read, for tools/evaluate-names.
    .executableTarget(
      name: "EvaluateNames", dependencies: [.product(name: "Rollcall", package: "rollcall")],
      swiftSettings: rules),
  ]
)
