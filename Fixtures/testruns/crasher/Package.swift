// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "crasher",
    targets: [
        .target(name: "CReader"),
        .target(name: "Bridge", dependencies: ["CReader"]),
        .testTarget(name: "BridgeTests", dependencies: ["Bridge"]),
    ])
