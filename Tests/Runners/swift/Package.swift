// swift-tools-version: 6.0
import PackageDescription

let package = Package(name: "shop", targets: [.testTarget(name: "ShopTests")])
