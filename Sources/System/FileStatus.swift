#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// What the system knows about a file without reading it.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case regular, directory
        /// A pipe, a device, a socket.
        case other
    }

    package let kind: Kind
    /// In bytes.
    package let size: Int
    /// When something was last written to it, since 1970.
    package let modifiedSeconds: Int
    /// The part of that second.
    package let modifiedNanoseconds: Int
    package let isOpenToOthers: Bool
    private let number: UInt64

    /// Of what a path leads to; nil where that is nothing.
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(of descriptor: FileDescriptor) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        let kind = status.st_mode & S_IFMT
        self.kind = kind == S_IFREG ? .regular : kind == S_IFDIR ? .directory : .other
        self.size = Int(status.st_size)
        #if canImport(Glibc)
        let modified = status.st_mtim
        #else
        let modified = status.st_mtimespec
        #endif
        self.modifiedSeconds = Int(modified.tv_sec)
        self.modifiedNanoseconds = Int(modified.tv_nsec)
        self.isOpenToOthers = status.st_mode & 0o077 != 0
        self.number = UInt64(status.st_ino)
    }

    /// Changes whenever the file does, also when another takes its place.
    package var version: String {
        "\(self.number):\(self.size):\(self.modifiedSeconds).\(self.modifiedNanoseconds)"
    }
}
