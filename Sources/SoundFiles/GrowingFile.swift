package import System

/// A file that has its name from the first byte on and is added to: what was written stays, whenever the program ends.
package final class GrowingFile {
    package let path: String
    private let file: FileHandle

    package init(path: String) throws(SystemError) {
        self.path = path
        self.file = try FileHandle(path, for: .overwriting)
    }

    package func append(_ bytes: Span<UInt8>) throws(SystemError) { try self.file.write(bytes) }

    /// Replaces the first bytes, for headers that know their sizes only at the end.
    package func overwriteFront(with bytes: Span<UInt8>) throws(SystemError) {
        try self.file.overwriteFront(with: bytes)
    }
}
