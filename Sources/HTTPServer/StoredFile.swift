internal import System
internal import Reactor
internal import Web

/// A file as it was when it was last looked at.
final class StoredFile: Sendable {
    let size: Int
    /// Seconds since 1970.
    let modified: Int
    let plain: Form
    /// Nil where it is not worth it.
    let compressed: Form?
    /// Open where the contents are not in memory.
    let descriptor: OpenFile?

    /// The file as it is, or as gzip.
    struct Form {
        let tag: EntityTag?
        /// What an answer says with it, made once.
        let fields: HTTPFields
        /// In memory when it is small.
        let contents: SharedBytes?
    }

    private static let smallSize = 256 << 10
    private static let worthCompressing = 512

    private init(_ status: FileStatus, _ name: String, _ descriptor: OpenFile, cacheControl: String) {
        self.size = status.size
        self.modified = status.modifiedSeconds
        let type = MediaType(fileName: name)
        let version = Self.version(of: status)
        func form(_ version: String, _ contents: [UInt8]?) -> Form {
            let tag = EntityTag(version)
            let fields = Self.fields(of: type, tag, modified: status.modifiedSeconds, cacheControl: cacheControl)
            return Form(tag: tag, fields: fields, contents: contents.map { SharedBytes($0) })
        }
        let bytes = self.size <= Self.smallSize ? descriptor.read(0..<status.size) : nil
        self.plain = form(version, bytes)
        self.descriptor = bytes == nil ? descriptor : nil
        let isWorthIt = type.isCompressible && self.size >= Self.worthCompressing
        let smaller = isWorthIt ? bytes.map { GzipEncoder.compress($0) } : nil
        self.compressed = smaller.flatMap { $0.count < status.size ? form(version + "-gz", $0) : nil }
    }

    private static func fields(
        of type: MediaType, _ tag: EntityTag?, modified: Int, cacheControl: String
    ) -> HTTPFields {
        var fields: HTTPFields = [.acceptRanges: "bytes", .contentType: type.text, .cacheControl: cacheControl]
        fields.set(.lastModified, to: HTTPDate.format(modified))
        if let tag { fields.set(.eTag, to: tag.description) }
        if type.isCompressible { fields.set(.vary, to: "Accept-Encoding") }
        return fields
    }

    /// What it takes to keep it in memory.
    var weight: Int { [self.plain, self.compressed].reduce(0) { $0 + ($1?.contents?.count ?? 0) } }

    /// May block: only on a helper thread.
    ///
    /// - Parameter cacheControl: what browsers and caches may do with it.
    static func load(
        _ path: String, in root: String, cacheControl: String, unchangedFrom known: StoredFile?
    ) -> StoredFile? {
        guard let resolved = self.resolve(path, in: root), let file = OpenFile(resolved) else { return nil }
        guard let status = file.status, status.kind == .regular else { return nil }
        if let known, known.plain.tag == EntityTag(self.version(of: status)) { return known }
        return StoredFile(status, resolved, file, cacheControl: cacheControl)
    }

    /// The time to the nanosecond tells two versions of the same second and size apart.
    private static func version(of status: FileStatus) -> String {
        let parts = [status.modifiedSeconds, status.modifiedNanoseconds, status.size]
        return parts.map { String($0, radix: 36) }.joined(separator: "-")
    }

    /// Where the path really leads, if that is below the directory.
    private static func resolve(_ path: String, in root: String) -> String? {
        guard !path.utf8.contains(0), let base = FileSystem.realPath(root) else { return nil }
        guard let resolved = FileSystem.realPath("\(root)/\(path)"), resolved.hasPrefix("\(base)/") else { return nil }
        return resolved
    }
}

/// A file open for reading; closed with its last reference.
final class OpenFile: Sendable {
    private let file: FileHandle

    init?(_ path: String) {
        guard let file = try? FileHandle(path, for: .readingAtOnce) else { return nil }
        self.file = file
    }

    var status: FileStatus? { self.file.status }
    var size: Int? { self.status?.size }

    /// Nil when the file ends before the range does, or cannot be read.
    func read(_ range: Range<Int>) -> [UInt8]? {
        let bytes = try? self.file.bytes(at: range.lowerBound, count: range.count)
        return bytes?.count == range.count ? bytes : nil
    }
}
