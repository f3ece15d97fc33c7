import System
import AudioFiles
import SoundFiles
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("An output file")
struct OutputFileTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test("has no name before it is whole, and nothing is left of one that is given up")
    func givenUp() throws {
        do {
            let file = try OutputFile(path: "\(self.folder.path)/a")
            try file.write([UInt8](repeating: 1, count: 200_000).span)
            try file.flush()
            #expect(!self.folder.names.contains("a"))
        }
        #expect(self.folder.names.isEmpty)
    }

    @Test("takes the place of an older one in one step")
    func replaces() throws {
        _ = try self.folder.write("a", [1, 2, 3])
        let file = try OutputFile(path: "\(self.folder.path)/a")
        try file.write([4, 5].span)
        #expect(try self.folder.read("a") == [1, 2, 3])
        try file.commit()
        #expect(try self.folder.read("a") == [4, 5])
        #expect(self.folder.names == ["a"])
    }

    @Test("that is a device, or a link, stays one")
    func devices() throws {
        let null = try OutputFile(path: "/dev/null")
        try null.write([1, 2, 3].span)
        try null.commit()
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        let target = try self.folder.write("target", [1])
        #expect(symlink(target, self.folder.place("link")) == 0)
        let file = try OutputFile(path: self.folder.place("link"))
        try file.write([2].span)
        try file.commit()
        #expect(try self.folder.read("target") == [2])
        #expect(lstat(self.folder.place("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test("that cannot be opened stays what it is, and says so")
    func unopenable() throws {
        let path = self.folder.place("socket")
        let socket = try Self.bindSocket(at: path)
        defer { close(socket) }
        let error = #expect(throws: SystemError.self) { try OutputFile(path: path) }
        #expect(error?.operation == .write && error?.path == path)
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK)
    }

    /// A place that is there, is no file, and that nobody can open.
    private static func bindSocket(at path: String) throws -> Int32 {
        #if canImport(Glibc)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0)
        return descriptor
    }

    @Test("can have its front written again")
    func front() throws {
        let file = try OutputFile(path: "\(self.folder.path)/a")
        try file.write([0, 0, 3, 4].span)
        try file.overwriteFront(with: [1, 2].span)
        try file.write([5].span)
        try file.commit()
        #expect(try self.folder.read("a") == [1, 2, 3, 4, 5])
    }

    @Test("has one name however its folder is written, also before it is there")
    func resolved() throws {
        try self.folder.folder("real")
        try self.folder.link("other", to: "real")
        let real = OutputFile.resolved(self.folder.path) + "/real"
        for name in ["real/a", "other/a", "real/../other/./a"] {
            #expect(OutputFile.resolved("\(self.folder.path)/\(name)") == "\(real)/a")
        }
        #expect(OutputFile.resolved("/a-that-is-not-there") == "/a-that-is-not-there")
        #expect(OutputFile.resolved("\(self.folder.path)/none/a") == "\(self.folder.path)/none/a")
        #expect(OutputFile.resolved("a-that-is-not-there") == OutputFile.resolved(".") + "/a-that-is-not-there")
    }

    @Test("in a folder that is not there says so")
    func noFolder() {
        let error = #expect(throws: SystemError.self) { try OutputFile(path: "\(self.folder.path)/none/a") }
        #expect(error?.description.contains("none/a") == true)
    }

    @Test("that is read can be rewound, and a missing one says that it is missing")
    func input() throws {
        let path = try self.folder.write("a", [1, 2, 3])
        let file = try InputFile(path: path)
        var bytes: [UInt8] = []
        try file.read(into: &bytes, upTo: 2)
        #expect(bytes == [1, 2] && file.position == 2 && file.size == 3 && file.isSeekable)
        try file.rewind()
        try file.read(into: &bytes)
        #expect(bytes == [1, 2, 3])
        let error = #expect(throws: SystemError.self) { try InputFile(path: path + "x") }
        #expect(error?.isMissing == true)
        #expect(throws: SystemError.self) { try InputFile(path: self.folder.path) }
    }
}
