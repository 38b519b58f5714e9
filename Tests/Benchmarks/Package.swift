// swift-tools-version: 6.3
// Micro-benchmarks: one program a question, `scripts/bench --micro` builds and runs them all. CONTRIBUTING.md says when to use which benchmark.
//
// They use the modules' public declarations alone: what is timed is what another module of cairn calls, compiled as users get it. Internal parts would need `@testable`,
// which makes a release build other code, and `package` access ends at the package's border.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func program(_ name: String) -> Target {
    // The product brings its modules with it, the lower ones too.
    .executableTarget(
        name: name, dependencies: ["Timing", .product(name: "CrashSymbolication", package: "cairn")], swiftSettings: settings)
}

let package = Package(
    name: "cairn-benchmarks",
    platforms: [.macOS(.v26)],
    // Without traits: the neighbours and what they need are left out.
    dependencies: [.package(name: "cairn", path: "../..", traits: [])],
    targets: [
        .target(name: "Timing", swiftSettings: settings),
        program("ByteReading"),
        program("EntryWalk"),
        program("LineRows"),
        program("IndexLookups"),
        program("LogScanning"),
        // No measurement: the filter that `scripts/checks/verify-names` compares with other demanglers, and times as they are.
        program("DemangleNames"),
    ]
)
