import System
import TestSupport
import Testing

@Suite("A file handle")
struct FileHandleTests {
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    @Test("names operation, path and reason when a file cannot be opened")
    func refusals() {
        let path = self.folder.place("none")
        let missing = #expect(throws: SystemError.self) { _ = try FileHandle(path, for: .reading) }
        #expect(missing?.isMissing == true)
        #expect(missing?.description == "cannot open \(path): No such file or directory")
        let unwritable = #expect(throws: SystemError.self) { _ = try FileHandle("\(path)/a", for: .creating(.owner)) }
        #expect(unwritable?.operation == .write)
    }

    @Test("creates a file for its owner alone, and only where there is none")
    func creation() throws {
        let path = self.folder.place("a")
        let file = try FileHandle(path, for: .creating(.owner))
        #expect(file.status?.isOpenToOthers == false && file.status?.size == 0)
        let error = #expect(throws: SystemError.self) { _ = try FileHandle(path, for: .creating(.owner)) }
        #expect(error?.errno == .fileExists)
    }

    @Test("reads back what was written, at its place and in order")
    func readingAndWriting() throws {
        let path = self.folder.place("a")
        let file = try FileHandle(path, for: .creating(.everybody))
        try file.write([1, 2, 3, 4].span)
        try file.write([8, 9].span, at: 2)
        try file.overwriteFront(with: [7].span)
        #expect(file.position == 4)
        #expect(try file.bytes(at: 1, count: 10) == [2, 8, 9])
        try file.truncate(to: 3)
        try file.sync()
        try file.seek(to: 0)
        var bytes: [UInt8] = [5, 5, 5, 5, 5]
        try file.read(into: &bytes, upTo: 2)
        #expect(bytes == [7, 2])
        #expect(try file.contents(maximum: 100) == [8])
        #expect(FileSystem.front(of: path, maximum: 2) == [7, 2])
    }

    @Test("keeps a lock from others until it is closed, even where a duplicate of its descriptor stays open")
    func locks() throws {
        let path = self.folder.place("lock")
        let isFree = { () throws -> Bool in try FileHandle(path, for: .locking).lock() }
        let duplicate = try self.duplicateOfLock(path, isFree)
        #expect(try isFree())
        #expect(duplicate.descriptor.number >= 0)
    }

    /// What a child process has between fork and exec.
    private func duplicateOfLock(_ path: String, _ isFree: () throws -> Bool) throws -> FileHandle {
        let first = try FileHandle(path, for: .locking)
        #expect(try first.lock())
        #expect(try !isFree())
        return try FileHandle(duplicating: first.descriptor, path: path, for: .reading)
    }

    @Test("opens files that have no name, which can be read twice")
    func nameless() throws {
        let file = try FileHandle.temporary(named: "a pipe")
        try file.write([1, 2].span)
        try file.seek(to: 0)
        #expect(try file.contents(maximum: 9) == [1, 2])
        #expect(file.path == "a pipe" && file.status?.kind == .regular)
    }
}

@Suite("A file replacement")
struct FileReplacementTests {
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    @Test("takes its place in one step", arguments: [true, false])
    func commit(isDurable: Bool) throws {
        let path = try self.folder.write("a", "old")
        var replacement = try FileReplacement(of: path, .owner)
        try replacement.file.write(Array("new".utf8).span)
        #expect(try self.folder.read("a") == Array("old".utf8))
        try replacement.commit(isDurable: isDurable)
        #expect(try self.folder.read("a") == Array("new".utf8))
        #expect(FileStatus(of: path)?.isOpenToOthers == false)
        #expect(self.folder.names == ["a"])
    }

    @Test("leaves nothing when it is given up")
    func abandoned() throws {
        _ = try FileReplacement(of: self.folder.place("a"), .everybody)
        #expect(self.folder.names.isEmpty)
    }

    @Test("gives way to what is there already, when it is told to")
    func absence() throws {
        let path = self.folder.place("a")
        for text in ["first", "second"] {
            var replacement = try FileReplacement(of: path, .owner)
            try replacement.file.write(Array(text.utf8).span)
            #expect(try replacement.commitIfAbsent() == (text == "first"))
        }
        #expect(try self.folder.read("a") == Array("first".utf8))
        #expect(self.folder.names == ["a"])
    }

    @Test("names its place in errors")
    func refusal() {
        let path = "\(self.folder.path)/none/a"
        let error = #expect(throws: SystemError.self) { _ = try FileReplacement(of: path, .owner) }
        #expect(error?.path == path && error?.isMissing == true)
    }
}

@Suite("The file system")
struct FileSystemTests {
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    @Test("tells what a path leads to")
    func status() throws {
        let path = try self.folder.write("a", "abc")
        try self.folder.link("link", to: "a")
        #expect(FileStatus(of: path)?.size == 3 && FileStatus(of: path)?.kind == .regular)
        #expect(FileStatus(of: self.folder.path)?.kind == .directory && FileStatus(of: "/dev/null")?.kind == .other)
        #expect(FileStatus(of: "\(path)x") == nil)
        #expect(FileSystem.realPath(self.folder.place("link")) == FileSystem.realPath(path))
        #expect(FileSystem.names(in: self.folder.path)?.sorted() == [".", "..", "a", "link"])
    }

    @Test("says another version after a change of the file")
    func version() throws {
        let path = try self.folder.write("a", "abc")
        let version = FileStatus(of: path)?.version
        #expect(version == FileStatus(of: path)?.version)
        try FileReplacement.write([1, 2, 3], to: path, .owner)
        #expect(version != FileStatus(of: path)?.version)
    }

    @Test("makes folders that are missing and keeps those that are there")
    func folders() throws {
        let (outer, inner) = (self.folder.place("b"), self.folder.place("b/c"))
        try FileSystem.makeDirectories(inner)
        try FileSystem.makeDirectories(inner)
        #expect(FileStatus(of: inner)?.isOpenToOthers == false)
        let path = try self.folder.write("a", "")
        let error = #expect(throws: SystemError.self) { try FileSystem.makeDirectories("\(path)/d") }
        #expect(error?.path == "\(path)/d")
        #expect(FileSystem.allows(.all, outer))
    }

    @Test("finds the folder of a path", arguments: [("a", "."), ("/a", "/"), ("/b/a", "/b"), ("b/a", "b")])
    func parents(path: String, folder: String) {
        #expect(FileSystem.directory(of: path) == folder)
    }
}
