#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The file, and what it was when it was last looked at.
struct ICEServerFile {
    let path: String

    /// Changes whenever the file does; nil when there is none.
    var version: String? {
        var status = stat()
        guard unsafe stat(self.path, &status) == 0 else { return nil }
        #if canImport(Glibc)
        let time = status.st_mtim
        #else
        let time = status.st_mtimespec
        #endif
        return "\(status.st_ino):\(status.st_size):\(time.tv_sec).\(time.tv_nsec)"
    }

    func read() throws(ICEServerFileError) -> [UInt8] {
        let descriptor = unsafe open(self.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw self.failure }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= ICEServerList.maximumBytes {
            let count = Self.fill(&piece, from: descriptor)
            guard count >= 0 else { throw self.failure }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: piece.prefix(count))
        }
        return bytes
    }

    private static func fill(_ piece: inout [UInt8], from descriptor: Int32) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.read(descriptor, &piece, piece.count)
        #else
        unsafe Darwin.read(descriptor, &piece, piece.count)
        #endif
    }

    private var failure: ICEServerFileError {
        ICEServerFileError(.unreadable(unsafe String(cString: strerror(errno))), at: "")
    }
}
