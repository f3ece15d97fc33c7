package import System

/// A file, or a pipe, that is read from front to back. It closes itself when its owner lets go.
package final class InputFile {
    private let file: FileHandle

    package init(path: String) throws(SystemError) {
        let file = try FileHandle(path, for: .reading)
        // A directory opens well and only fails when read.
        if file.status?.kind == .directory { throw SystemError(.read, path, .isDirectory) }
        self.file = file
    }

    init(_ file: consuming FileHandle) { self.file = file }

    package static func standardInput() throws(SystemError) -> InputFile {
        InputFile(try FileHandle(duplicating: .standardInput, path: "standard input", for: .reading))
    }

    /// The name for messages.
    package var name: String { self.file.path }
    var descriptor: FileDescriptor { self.file.descriptor }

    /// Can be read a second time.
    package var isSeekable: Bool { self.file.position != nil }

    /// How far it has been read, in bytes; nil for a pipe.
    package var position: Int? { self.file.position }

    /// In bytes; nil for a pipe.
    package var size: Int? {
        guard let status = self.file.status, status.kind == .regular else { return nil }
        return status.size
    }

    package func rewind() throws(SystemError) { try self.file.seek(to: 0) }

    /// Reads at most `count` bytes over `buffer`. An empty buffer means the end.
    package func read(into buffer: inout [UInt8], upTo count: Int = 65_536) throws(SystemError) {
        try self.file.read(into: &buffer, upTo: count)
    }

    /// A pipe may never end, and the disk does. Three hours of stereo are less.
    package static let maximumCopiedBytes = 2 << 30

    /// The same bytes in a file that can be read twice: itself, or a nameless copy of a pipe.
    /// `start` is what has been read of the pipe already.
    package func rereadable(startingWith start: [UInt8] = []) throws(SystemError) -> InputFile {
        guard !self.isSeekable else { return self }
        let copy = try FileHandle.temporary(named: self.name)
        var (buffer, size) = (start, 0)
        if buffer.isEmpty { try self.read(into: &buffer) }
        while !buffer.isEmpty {
            size += buffer.count
            guard size <= Self.maximumCopiedBytes else { throw SystemError(.read, self.name, .fileTooLarge) }
            try copy.write(buffer.span)
            try self.read(into: &buffer)
        }
        try copy.seek(to: 0)
        return InputFile(copy)
    }
}
