internal import Reactor
internal import Web

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A file as it was when it was last looked at.
final class StoredFile: Sendable {
    let size: Int
    /// Seconds since 1970.
    let modified: Int
    let tag: EntityTag?
    let compressedTag: EntityTag?
    let type: MediaType
    /// In memory when it is small; else `descriptor` is open.
    let contents: SharedBytes?
    let compressed: SharedBytes?
    let descriptor: OpenFile?

    private static let smallSize = 256 << 10
    private static let worthCompressing = 512

    private init(_ status: stat, _ name: String, _ descriptor: OpenFile) {
        self.size = Int(status.st_size)
        self.modified = status.modificationTime.tv_sec
        let version = Self.version(of: status)
        self.tag = EntityTag(version)
        self.type = MediaType(fileName: name)
        let bytes = self.size <= Self.smallSize ? descriptor.read(0..<Int(status.st_size)) : nil
        self.contents = bytes.map { SharedBytes($0) }
        self.descriptor = bytes == nil ? descriptor : nil
        let isWorthIt = self.type.isCompressible && self.size >= Self.worthCompressing
        let smaller = isWorthIt ? bytes.map { GzipEncoder.compress($0) } : nil
        self.compressed = smaller.flatMap { $0.count < Int(status.st_size) ? SharedBytes($0) : nil }
        self.compressedTag = self.compressed == nil ? nil : EntityTag(version + "-gz")
    }

    /// What it takes to keep it in memory.
    var weight: Int { (self.contents?.count ?? 0) + (self.compressed?.count ?? 0) }

    /// May block: only on a helper thread.
    static func load(_ path: String, in root: String, unchangedFrom known: StoredFile?) -> StoredFile? {
        guard let resolved = self.resolve(path, in: root), let file = OpenFile(resolved) else { return nil }
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG else { return nil }
        if let known, known.tag == EntityTag(self.version(of: status)) { return known }
        return StoredFile(status, resolved, file)
    }

    /// The time to the nanosecond tells two versions of the same second and size apart.
    private static func version(of status: stat) -> String {
        let time = status.modificationTime
        return [time.tv_sec, time.tv_nsec, Int(status.st_size)].map { String($0, radix: 36) }.joined(separator: "-")
    }

    /// Where the path really leads, if that is below the directory.
    private static func resolve(_ path: String, in root: String) -> String? {
        guard !path.utf8.contains(0), let base = self.realPath(root) else { return nil }
        guard let resolved = self.realPath("\(root)/\(path)"), resolved.hasPrefix("\(base)/") else { return nil }
        return resolved
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

extension stat {
    fileprivate var modificationTime: timespec {
        #if canImport(Glibc)
        self.st_mtim
        #else
        self.st_mtimespec
        #endif
    }
}

/// A file open for reading; closed with its last reference.
final class OpenFile: Sendable {
    private let descriptor: Int32

    init?(_ path: String) {
        self.descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if self.descriptor < 0 { return nil }
    }

    deinit {
        close(self.descriptor)
    }

    var status: stat? {
        var status = stat()
        return unsafe fstat(self.descriptor, &status) == 0 ? status : nil
    }

    var size: Int? { self.status.map { Int($0.st_size) } }

    /// Nil when the file ends before the range does, or cannot be read.
    func read(_ range: Range<Int>) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes { target in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[done...])
                return unsafe pread(self.descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound + done))
            }
            guard count > 0 else { return nil }
            done += count
        }
        return bytes
    }
}
