// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "errand",
  products: [
    .library(name: "Errand", targets: ["Errand"]),
    .library(name: "HttpServer", targets: ["HttpServer"]),
    .executable(name: "errandd", targets: ["errandd"]),
    .executable(name: "errand", targets: ["errand"]),
  ],
  targets: [
    .systemLibrary(name: "CLibevent", providers: [.apt(["libevent-dev"])]),
    .systemLibrary(name: "CCares", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "CIdn2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
    .systemLibrary(name: "CPsl", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
    .systemLibrary(name: "CCompression", providers: [.apt(["zlib1g-dev", "libbrotli-dev", "libzstd-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "Hashing", dependencies: ["COpenSSL"], swiftSettings: settings),
    .target(name: "Sqlite", dependencies: ["CSQLite"], swiftSettings: settings),
    .target(name: "EventLoop", dependencies: ["CLibevent", "CCares", "COpenSSL"], swiftSettings: settings),
    .target(name: "HttpWire", dependencies: ["CIdn2", "CPsl", "CCompression", "Hashing"], swiftSettings: settings),
    .target(name: "Errand", dependencies: ["EventLoop", "HttpWire", "Hashing", "CNghttp2"], swiftSettings: settings),
    .target(name: "HttpServer", dependencies: ["EventLoop", "HttpWire"], swiftSettings: settings),
    .target(
      name: "ErrandDaemon", dependencies: ["Errand", "HttpServer", "EventLoop", "HttpWire", "Hashing", "Sqlite"], swiftSettings: settings),
    .executableTarget(name: "errandd", dependencies: ["ErrandDaemon", "EventLoop"], swiftSettings: settings),
    .executableTarget(name: "errand", dependencies: ["Errand", "EventLoop", "HttpWire"], swiftSettings: settings),
    .executableTarget(name: "errand-quickstart", dependencies: ["Errand"], path: "Examples/quickstart", swiftSettings: settings),
    .executableTarget(name: "errand-guides", dependencies: ["Errand"], path: "Examples/guides", swiftSettings: settings),
    .executableTarget(
      name: "errand-bench", dependencies: ["Errand", "EventLoop", "HttpWire"], path: "Benchmarks/errand-bench", swiftSettings: settings),
    .executableTarget(
      name: "cache-writer", dependencies: ["Errand", "HttpWire", "TestSupport"], path: "Tests/CacheWriter", swiftSettings: settings),
    .target(name: "TestSupport", dependencies: ["EventLoop", "HttpWire"], path: "Tests/Support", swiftSettings: settings),
    .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "TestSupport"], swiftSettings: settings),
    .testTarget(name: "HttpWireTests", dependencies: ["HttpWire", "Hashing", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ErrandTests", dependencies: ["Errand", "HttpServer", "EventLoop", "HttpWire", "Hashing", "TestSupport", "cache-writer"],
      swiftSettings: settings),
    .testTarget(name: "HttpServerTests", dependencies: ["HttpServer", "EventLoop", "HttpWire", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ErrandDaemonTests",
      dependencies: ["ErrandDaemon", "Errand", "HttpServer", "EventLoop", "HttpWire", "Hashing", "Sqlite", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "SystemTests",
      dependencies: [
        "Errand", "HttpServer", "EventLoop", "HttpWire", "errandd", "errand", "errand-quickstart", "errand-guides", "TestSupport",
      ],
      swiftSettings: settings),
  ]
)
