// swift-tools-version: 6.2

import PackageDescription

/// What rooms and tests share. A warning is an error.
let houseForTests: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// A room also says in its own line what is unsafe; tests may touch memory without ceremony.
let house: [SwiftSetting] =
    houseForTests + [
        .strictMemorySafety(),
        // Views that borrow (`ByteReader`) need to say whose bytes they show.
        .enableExperimentalFeature("Lifetimes"),
    ]

/// What is fuzzed is built to tell which of its paths an input takes, and where memory is misused (`Scripts/fuzz`). Both in one
/// flag: the compiler heeds only one of two.
let isFuzzed = Context.environment["PARLEY_FUZZ"] != nil
let fuzzing: [SwiftSetting] = isFuzzed ? [.unsafeFlags(["-sanitize=fuzzer,address"])] : []

/// Releases link the Swift runtime statically: calls into a shared library cost more (`docs/decisions/0070-the-runtime-inside.md`).
/// Its functions are not exported, and identical ones are kept once, which makes it a twelfth smaller.
let withRuntime: [LinkerSetting] = [
    .unsafeFlags(
        ["-static-stdlib", "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--icf=safe"],
        .when(platforms: [.linux], configuration: .release))
]

/// A door to a C library: a module map and a `shim.h`, nothing else.
func door(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

/// On macOS its header lies where only pkg-config finds it, which links the library as well.
#if os(macOS)
let postgres = door("CPostgres", pkgConfig: "libpq", apt: "libpq-dev", brew: "libpq")
#else
let postgres = Target.systemLibrary(name: "CPostgres", providers: [.apt(["libpq-dev"])])
#endif

/// A room: one purpose, and imports only from the floors below its own (`Scripts/floors`).
func room(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: house + fuzzing)
}

/// - Parameter isPlain: never optimised. Swift 6.3 crashes over some of what its tests do with `async` closures, and long
///   runs of others want to be quick.
func tests(of name: String, _ dependencies: Target.Dependency..., isPlain: Bool = false) -> Target {
    let plain: [SwiftSetting] = isPlain ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : []
    return .testTarget(
        name: "\(name)Tests",
        dependencies: [.target(name: name)] + dependencies,
        swiftSettings: houseForTests + plain
    )
}

let package = Package(
    name: "parley",
    platforms: [.macOS(.v26)],
    products: [
        .executable(name: "parley", targets: ["parley"])
    ],
    targets: [
        // Floor 0: doors to C.
        door("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        door("CUV", pkgConfig: "libuv", apt: "libuv1-dev", brew: "libuv"),
        door("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev", brew: "openssl@3"),
        door("CSRTP", pkgConfig: "libsrtp2", apt: "libsrtp2-dev", brew: "srtp"),
        door("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev", brew: "libnghttp2"),
        door("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
        .systemLibrary(name: "CSockets"),
        .systemLibrary(name: "CTerminal"),
        door("COpus", pkgConfig: "opus", apt: "libopus-dev", brew: "opus"),
        door("COpusFile", pkgConfig: "opusfile", apt: "libopusfile-dev", brew: "opusfile"),
        door("CSndFile", pkgConfig: "sndfile", apt: "libsndfile1-dev", brew: "libsndfile"),
        door("CSoxr", pkgConfig: "soxr", apt: "libsoxr-dev", brew: "libsoxr"),
        door("CSpeexDSP", pkgConfig: "speexdsp", apt: "libspeexdsp-dev", brew: "speexdsp"),
        // Their headers alone: the libraries are opened when they are wanted.
        postgres,
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"]), .brew(["pulseaudio"])]),

        // Floor 1: materials.
        .target(
            name: "Assets", exclude: ["Web", "openapi.json", "admin-openapi.json", "frequent-passwords.txt"],
            swiftSettings: house + fuzzing, plugins: ["EmbedFiles"]),
        room("Bytes"),
        room("Hashing", "COpenSSL", "CZlib"),
        room("JSON"),
        room("System", "CTerminal"),
        room("Vocabulary"),

        // Floor 2: formats.
        room("Arguments"),
        room("BinaryCoding", "Bytes", "Vocabulary"),
        room("AudioFiles", "Bytes", "System"),
        room("FileTypes", "Bytes"),
        room("Journal", "System", "Vocabulary"),
        room("MulticastDNS", "Bytes", "Vocabulary"),
        room("RTP", "Bytes"),
        room("SDP", "Bytes", "Vocabulary"),
        room("SocketIO", "Bytes", "JSON", "Vocabulary"),
        room("STUN", "Bytes", "Hashing", "Vocabulary"),
        room("Web", "Bytes", "CZlib", "Hashing", "Vocabulary"),

        // Floor 3: machines.
        room("Calling", "BinaryCoding", "Bytes", "Hashing", "Vocabulary"),
        room("Pacing", "Vocabulary"),
        room("HTTP2", "CNGHTTP2", "Web"),
        room("ICE", "Bytes", "Hashing", "MulticastDNS", "STUN", "Vocabulary"),
        room("Clustering", "BinaryCoding", "Bytes", "Hashing", "JSON", "Vocabulary"),
        room("Conversing", "JSON", "Vocabulary"),
        room("RealtimeTree", "Bytes", "Hashing", "JSON"),
        room("MediaStreams", "Bytes", "RTP", "Vocabulary"),
        room("Negotiating", "RTP", "SDP"),
        room("Playout", "Bytes", "Vocabulary"),
        room("S3", "Bytes", "Hashing", "Vocabulary", "Web"),
        room("Sessions", "BinaryCoding", "Bytes", "SocketIO", "Vocabulary"),

        // Floor 4: the rooms that touch the world.
        room("Reactor", "CSockets", "CUV", "System", "Vocabulary"),
        room("Secure", "Bytes", "COpenSSL", "Hashing", "JSON", "System", "Vocabulary"),
        room("OpusCodec", "COpus"),
        room("Sound", "CPulse", "CSpeexDSP", "System", "Vocabulary"),
        room("SoundFiles", "AudioFiles", "Bytes", "CSndFile", "System"),
        room("Files", "FileTypes", "Hashing", "JSON", "System", "Vocabulary"),
        room("Operations", "Calling", "Conversing", "JSON", "Vocabulary", "Web"),
        room("Keeping", "Bytes", "Conversing", "FileTypes", "Hashing", "Journal", "RealtimeTree", "Vocabulary"),
        room("TURN", "Bytes", "Hashing", "Pacing", "STUN", "Vocabulary"),

        // Floor 5.
        room("ACME", "Bytes", "Hashing", "JSON", "Secure", "Vocabulary", "Web"),
        room("SQLTables", "Conversing", "FileTypes", "Keeping", "RealtimeTree", "Vocabulary"),
        room(
            "AudioStreams", "AudioFiles", "Bytes", "MediaStreams", "OpusCodec", "Playout", "RTP", "System", "Vocabulary"
        ),
        room("VideoStreams", "Bytes", "MediaStreams", "RTP", "Vocabulary"),
        room("HTTPServer", "Bytes", "Journal", "System", "Pacing", "Reactor", "Secure", "Vocabulary", "Web"),
        room("ICEServers", "JSON", "Journal", "Reactor", "Secure", "System", "Vocabulary"),
        room(
            "Identity", "Assets", "Bytes", "Hashing", "JSON", "Journal", "Keeping", "Pacing", "Secure", "System",
            "Vocabulary", "Web"),
        room("PostgresLink", "COpenSSL", "CPostgres", "Reactor", "System", "Vocabulary"),
        room(
            "Cluster", "BinaryCoding", "Bytes", "Clustering", "Hashing", "Journal", "PostgresLink", "Reactor", "System",
            "Vocabulary"),
        room("SRTP", "Bytes", "COpenSSL", "CSRTP", "Secure"),
        room("Voice", "AudioFiles", "Bytes", "CSoxr", "System", "OpusCodec", "SoundFiles"),

        // Floor 6: each end of a Socket.IO connection, and the engine of the store.
        room(
            "PostgresStore", "Conversing", "Journal", "Keeping", "PostgresLink", "Reactor", "SQLTables", "System",
            "Vocabulary"),
        room(
            "SQLiteStore", "Bytes", "CSQLite", "Conversing", "Journal", "Keeping", "SQLTables", "System", "Vocabulary"),
        room(
            "Client", "Bytes", "Calling", "Conversing", "HTTP2", "HTTPServer", "JSON", "Operations", "Reactor",
            "Secure",
            "SocketIO",
            "Vocabulary", "Web"),
        room(
            "Pathways", "Bytes", "HTTPServer", "ICE", "ICEServers", "MulticastDNS", "Reactor", "STUN", "Secure",
            "System", "Vocabulary"),
        room(
            "SocketServer", "BinaryCoding", "Bytes", "Hashing", "HTTPServer", "JSON", "Journal", "Pacing", "Reactor",
            "Sessions",
            "SocketIO",
            "Vocabulary", "Web"),

        // Floor 7: who is where, what goes to whom.
        room(
            "Switchboard", "BinaryCoding", "Bytes", "Calling", "Clustering", "Conversing", "Hashing", "JSON",
            "Operations", "Keeping",
            "Pacing",
            "Reactor", "SocketIO", "SocketServer", "System", "Vocabulary"),

        room(
            "Peer", "AudioStreams", "Bytes", "ICE", "ICEServers", "MediaStreams", "Negotiating", "Pathways", "RTP",
            "Reactor", "SDP", "SRTP", "Secure", "VideoStreams", "Vocabulary"),

        // Floor 8: what people run.
        room(
            "Service", "ACME", "Assets", "Bytes", "Calling", "Client", "Cluster", "Clustering", "Conversing",
            "FileTypes", "Files", "Hashing",
            "HTTPServer",
            "ICEServers",
            "Identity", "Journal",
            "BinaryCoding", "JSON", "Keeping", "Operations", "Pacing", "Reactor", "Secure", "Sessions", "SocketIO",
            "SocketServer",
            "PostgresLink", "PostgresStore", "RealtimeTree", "SQLTables", "SQLiteStore", "STUN", "Switchboard",
            "S3", "System", "TURN",
            "Vocabulary", "Web"
        ),
        room(
            "Handset", "AudioFiles", "AudioStreams", "Bytes", "OpusCodec", "Pathways", "Peer",
            "Reactor", "Sound", "SoundFiles",
            "System", "Vocabulary", "Voice"),

        room(
            "Load", "Arguments", "Bytes", "Calling", "Client", "Conversing", "ICE", "JSON", "MediaStreams",
            "Negotiating",
            "Operations", "OpusCodec", "Pathways", "Peer", "Reactor", "STUN", "Secure", "System", "Vocabulary",
            "Web"),

        // Floor 9: the one executable.
        .executableTarget(
            name: "parley",
            dependencies: [
                "ACME", "Arguments", "AudioFiles", "AudioStreams", "Bytes", "Calling", "Client", "Conversing",
                "FileTypes", "Files",
                "HTTPServer",
                "Handset",
                "ICE", "ICEServers", "Identity", "JSON", "Load",
                "Journal", "MediaStreams", "System", "Negotiating", "OpusCodec", "Pacing", "Operations", "Pathways",
                "PostgresLink",
                "Peer",
                "Reactor", "RealtimeTree", "S3", "STUN",
                "Secure", "Service",
                "Keeping", "SQLTables", "Sessions", "Sound", "SoundFiles", "Switchboard", "Vocabulary", "Voice", "Web",
            ],
            swiftSettings: house,
            linkerSettings: withRuntime
        ),

        // Beside the house: what only tests may use.
        .target(
            name: "TestSupport", dependencies: ["Bytes", "Reactor", "STUN", "System", "Vocabulary"],
            path: "Tests/TestSupport",
            swiftSettings: houseForTests,
            // So that libraries find our clock (VirtualTimeOfDay).
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=gettimeofday"], .when(platforms: [.linux]))
            ]),
        .executableTarget(
            name: "PathPeer", dependencies: ["ICE", "Pathways", "Reactor", "Vocabulary"], path: "Tests/PathPeer",
            swiftSettings: houseForTests),
        tests(of: "TestSupport", "Vocabulary"),
        tests(of: "ACME", "Bytes", "Hashing", "JSON", "Secure", "TestSupport", "Vocabulary", "Web"),
        tests(of: "Arguments", "TestSupport"),
        tests(of: "Bytes", "TestSupport"),
        tests(of: "JSON", "TestSupport"),
        tests(of: "FileTypes", "TestSupport"),
        tests(of: "Files", "FileTypes", "Hashing", "System", "TestSupport", "Vocabulary"),
        tests(of: "S3", "Bytes", "TestSupport", "Vocabulary", "Web"),
        tests(of: "MulticastDNS", "Bytes", "TestSupport", "Vocabulary"),
        tests(of: "RTP", "Bytes", "TestSupport"),
        tests(of: "SDP", "TestSupport", "Vocabulary"),
        tests(of: "Playout", "TestSupport", "Vocabulary"),
        .target(
            name: "VirtualCalls", dependencies: ["AudioStreams", "MediaStreams", "RTP", "TestSupport", "Vocabulary"],
            path: "Tests/VirtualCalls", swiftSettings: houseForTests),
        tests(
            of: "AudioStreams", "AudioFiles", "Bytes", "MediaStreams", "OpusCodec", "RTP", "TestSupport",
            "VirtualCalls", "Vocabulary"),
        tests(of: "MediaStreams", "Bytes"),
        tests(of: "VideoStreams", "Bytes", "MediaStreams", "RTP", "TestSupport", "Vocabulary"),
        tests(of: "SRTP", "Bytes", "RTP", "Secure", "TestSupport"),
        tests(of: "SocketIO", "Bytes", "JSON", "TestSupport", "Vocabulary"),
        tests(of: "BinaryCoding", "Bytes", "TestSupport", "Vocabulary"),
        tests(of: "Calling", "BinaryCoding", "Bytes", "TestSupport", "Vocabulary"),
        tests(of: "Negotiating", "SDP", "TestSupport"),
        .target(
            name: "VirtualPeers",
            dependencies: ["ICE", "Negotiating", "Peer", "SDP", "Secure", "TestSupport", "Vocabulary"],
            path: "Tests/VirtualPeers", swiftSettings: houseForTests),
        tests(
            of: "Peer", "AudioStreams", "Bytes", "ICE", "MediaStreams", "Negotiating", "Pathways", "Reactor", "SDP",
            "Secure", "TestSupport", "VideoStreams", "VirtualPeers", "Vocabulary"),
        tests(of: "Handset", "AudioFiles", "AudioStreams", "System", "TestSupport", "VirtualCalls", "Vocabulary"),
        tests(of: "Load", "TestSupport", "Vocabulary"),
        tests(of: "Pacing", "TestSupport", "Vocabulary"),
        tests(
            of: "SocketServer", "Bytes", "HTTPServer", "JSON", "Journal", "Operations", "Pacing", "Reactor", "Sessions",
            "SocketIO", "Switchboard", "TestSupport", "Vocabulary"),
        tests(of: "Clustering", "BinaryCoding", "Bytes", "TestSupport", "Vocabulary"),
        tests(of: "Cluster", "Clustering", "Reactor", "System", "Vocabulary"),
        tests(of: "Conversing", "TestSupport", "Vocabulary"),
        tests(of: "RealtimeTree", "JSON", "TestSupport"),
        tests(of: "Operations", "Calling", "Conversing", "JSON", "TestSupport", "Vocabulary", "Web"),
        tests(
            of: "Switchboard", "BinaryCoding", "Calling", "Clustering", "Conversing", "Keeping", "MemoryStore",
            "Operations", "Reactor", "SQLiteStore", "System", "TestSupport", "Vocabulary"),
        tests(of: "Sessions", "BinaryCoding", "Bytes", "SocketIO", "TestSupport", "Vocabulary"),
        tests(of: "Vocabulary", "TestSupport"),
        tests(of: "Hashing", "Bytes", "COpenSSL", "TestSupport"),
        tests(of: "Secure", "Bytes", "COpenSSL", "Hashing", "JSON", "TestSupport", "Vocabulary"),
        tests(of: "ICEServers", "JSON", "Journal", "System", "TestSupport", "Vocabulary"),
        tests(
            of: "Identity", "Bytes", "Hashing", "Journal", "Keeping", "MemoryStore", "Reactor", "Secure", "System",
            "TestSupport", "Vocabulary", "Web"),
        tests(
            of: "SQLiteStore", "Bytes", "Conversing", "Hashing", "Keeping", "SQLTables", "System", "TestSupport",
            "Vocabulary"),
        // An engine over dictionaries, and what every engine has to be.
        .target(
            name: "MemoryStore",
            dependencies: ["Conversing", "FileTypes", "Keeping", "RealtimeTree", "System", "Vocabulary"],
            path: "Tests/MemoryStore", swiftSettings: houseForTests),
        .testTarget(
            name: "StoreConformanceTests",
            dependencies: [
                "Conversing", "FileTypes", "Keeping", "MemoryStore", "PostgresLink", "PostgresStore", "RealtimeTree",
                "SQLTables", "SQLiteStore", "System", "TestSupport", "Vocabulary",
            ],
            swiftSettings: houseForTests),
        tests(
            of: "PostgresStore", "Conversing", "Keeping", "MemoryStore", "PostgresLink", "SQLTables", "System",
            "TestSupport", "Vocabulary"),
        tests(of: "PostgresLink", "Reactor", "System", "TestSupport", "Vocabulary"),
        tests(of: "Reactor", "System", "TestSupport", "Vocabulary"),
        tests(of: "Web", "Bytes", "TestSupport"),
        tests(of: "HTTP2", "TestSupport", "Web"),
        tests(of: "STUN", "Bytes", "Hashing", "TestSupport", "Vocabulary"),
        tests(of: "TURN", "Bytes", "Hashing", "STUN", "TestSupport", "Vocabulary"),
        tests(
            of: "HTTPServer", "Journal", "Pacing", "System", "Reactor", "Secure", "TestSupport", "Vocabulary", "Web",
            isPlain: true),
        tests(of: "ICE", "Bytes", "Hashing", "MulticastDNS", "STUN", "TestSupport", "Vocabulary"),
        tests(
            of: "Client", "Bytes", "Calling", "Conversing", "JSON", "Journal", "System", "Operations", "Reactor",
            "Service",
            "Switchboard",
            "TestSupport", "Vocabulary", "Web"),
        tests(
            of: "Service", "Assets", "Calling", "Conversing", "FileTypes", "HTTPServer", "JSON", "Journal", "System",
            "Operations", "Reactor",
            "Secure",
            "Sessions",
            "Keeping", "RealtimeTree",
            "SQLiteStore",
            "Switchboard", "TestSupport", "Vocabulary", "Web"),
        tests(
            of: "Pathways", "Bytes", "ICE", "ICEServers", "Reactor", "STUN", "Secure", "TestSupport", "Vocabulary"),
        tests(of: "Journal", "System", "TestSupport"),
        tests(of: "System", "TestSupport"),
        tests(
            of: "parley", "Arguments", "AudioFiles", "HTTPServer", "Journal", "OpusCodec", "Pacing", "Service",
            "System",
            "Vocabulary", "Web", "Voice"),
        // What the build runs: files of a room become Swift.
        .executableTarget(name: "EmbedTool", path: "Scripts/embed/tool", swiftSettings: houseForTests),
        .plugin(
            name: "EmbedFiles", capability: .buildTool, dependencies: ["EmbedTool"], path: "Scripts/embed/plugin"),
        .target(
            name: "Fuzz",
            dependencies: [
                "Arguments", "AudioFiles", "AudioStreams", "BinaryCoding", "Bytes", "Client", "Clustering",
                "Conversing",
                "FileTypes", "HTTP2", "ICE", "ICEServers",
                "Hashing", "Identity", "JSON", "Keeping", "MediaStreams", "MulticastDNS", "Negotiating", "Operations",
                "Peer",
                "RTP",
                "RealtimeTree",
                "S3", "SDP", "STUN",
                "Secure", "Service", "SocketIO", "TURN", "VideoStreams", "Vocabulary", "Web",
            ],
            path: "Tests/Fuzz",
            exclude: ["corpus"],
            swiftSettings: houseForTests + fuzzing
        ),
        tests(of: "Fuzz", "TestSupport"),
        tests(of: "AudioFiles", "Bytes", "TestSupport"),
        tests(of: "OpusCodec", "AudioFiles", "COpus", "TestSupport"),
        tests(of: "Sound", "System", "TestSupport", "Vocabulary"),
        tests(of: "SoundFiles", "AudioFiles", "System", "TestSupport"),
        tests(
            of: "Voice", "AudioFiles", "Bytes", "COpusFile", "FileTypes", "System", "OpusCodec", "SoundFiles",
            "TestSupport"),
    ]
)

// What the fuzzer runs is a product only for it (`Scripts/fuzz`), because its entry point is no program's main function.
if isFuzzed {
    package.products.append(.library(name: "Fuzz", type: .static, targets: ["Fuzz"]))
}

// What measures pieces without a program around them is built only for it (`Scripts/bench`).
if Context.environment["PARLEY_BENCH"] != nil {
    package.products.append(.executable(name: "PacketsBench", targets: ["PacketsBench"]))
    package.products.append(.executable(name: "CallLoadBench", targets: ["CallLoadBench"]))
    package.products.append(.executable(name: "MediaQualityBench", targets: ["MediaQualityBench"]))
    package.products.append(.executable(name: "PushBench", targets: ["PushBench"]))
    package.products.append(.executable(name: "S3SigningBench", targets: ["S3SigningBench"]))
    package.products.append(.executable(name: "WholeCallsBench", targets: ["WholeCallsBench"]))
    package.targets += [
        .executableTarget(
            name: "StoreBench",
            dependencies: [
                "Conversing", "Keeping", "PostgresLink", "PostgresStore", "SQLiteStore", "System", "Vocabulary",
            ],
            path: "Tests/Bench/Store",
            swiftSettings: houseForTests, linkerSettings: withRuntime),
        .executableTarget(
            name: "CallLoadBench",
            dependencies: [
                "AudioStreams", "Client", "JSON", "MediaStreams", "System", "Negotiating", "Pathways", "Peer",
                "Reactor",
                "Vocabulary", "Web",
            ],
            path: "Tests/Bench/CallLoad", swiftSettings: houseForTests, linkerSettings: withRuntime),
        .executableTarget(
            name: "MediaQualityBench",
            dependencies: ["AudioStreams", "MediaStreams", "OpusCodec", "TestSupport", "VirtualCalls"],
            path: "Tests/Bench/MediaQuality", swiftSettings: houseForTests, linkerSettings: withRuntime),
        .executableTarget(
            name: "PushBench", dependencies: ["Secure", "Vocabulary"], path: "Tests/Bench/Push",
            swiftSettings: houseForTests, linkerSettings: withRuntime),
        .executableTarget(
            name: "S3SigningBench", dependencies: ["S3", "Vocabulary"], path: "Tests/Bench/S3Signing",
            swiftSettings: houseForTests, linkerSettings: withRuntime),
        .executableTarget(
            name: "WholeCallsBench", dependencies: ["TestSupport", "VirtualPeers", "Vocabulary"],
            path: "Tests/Bench/WholeCalls", swiftSettings: houseForTests, linkerSettings: withRuntime),
        .executableTarget(
            name: "PacketsBench", dependencies: ["Bytes", "RTP", "SRTP", "STUN", "Secure", "Vocabulary"],
            path: "Tests/Bench/Packets", swiftSettings: houseForTests, linkerSettings: withRuntime),
    ]
}
