internal import Bytes
package import System

/// A file that gets its name only when it is whole, or a pipe that is written to as it is.
package final class OutputFile {
    private var target: FileReplacement
    private var pending: [UInt8] = []
    package private(set) var byteCount = 0

    private static let bufferSize = 64 << 10

    package init(path: String) throws(SystemError) {
        // A link stays a link: what it leads to is replaced.
        let path = Self.resolved(path)
        if Self.isStream(path) {
            self.target = FileReplacement(inPlace: try FileHandle(path, for: .writing))
        } else {
            self.target = try FileReplacement(of: path, .everybody)
        }
    }

    private init(_ stream: consuming FileHandle) { self.target = FileReplacement(inPlace: stream) }

    /// Standard output: what is written is out, and cannot be taken back.
    package static func standardOutput() throws(SystemError) -> OutputFile {
        OutputFile(try FileHandle(duplicating: .standardOutput, path: "standard output", for: .writing))
    }

    package var path: String { self.target.path }

    /// Bytes at the front can still be replaced.
    package var isSeekable: Bool { !self.target.isInPlace }

    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        self.pending.append(copying: bytes)
        self.byteCount += bytes.count
        if self.pending.count >= Self.bufferSize { try self.flush() }
    }

    package func flush() throws(SystemError) {
        let bytes = self.pending
        try self.target.file.write(bytes.span)
        self.pending.removeAll(keepingCapacity: true)
    }

    /// Writes over the front of the file: headers often know their sizes only at the end.
    package func overwriteFront(with bytes: Span<UInt8>) throws(SystemError) {
        try self.flush()
        try self.target.file.overwriteFront(with: bytes)
    }

    /// The file is whole: it takes its place.
    package func commit() throws(SystemError) {
        try self.flush()
        try self.target.commit(isDurable: false)
    }

    /// A pipe or a device is written to as it is; to take its place would be to destroy it. What has been written
    /// there is out, and cannot be taken back.
    package static func isStream(_ path: String) -> Bool { FileStatus(of: path)?.kind == .other }

    /// The path without links and detours, so that one place has one name; where nothing is yet, that of its folder
    /// with its own behind. Itself where there is no such folder.
    package static func resolved(_ path: String) -> String {
        if let real = FileSystem.realPath(path) { return real }
        guard let name = path.split(separator: "/", omittingEmptySubsequences: false).last, !name.isEmpty,
            let folder = FileSystem.realPath(FileSystem.directory(of: path))
        else { return path }
        return folder.hasSuffix("/") ? "\(folder)\(name)" : "\(folder)/\(name)"
    }
}
