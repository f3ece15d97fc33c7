#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A file that gets its name only when it is whole.
///
/// It is written beside its place, on Linux without any name at all, and takes its place in one step. Killed at any moment,
/// it leaves the old file, or none, but never half of one.
package struct FileReplacement: ~Copyable, Sendable {
    private enum Place {
        /// It has no name yet. Can become: draft, final.
        case nameless
        /// It has one that it does not keep. Can become: final.
        case draft(String)
        case final
    }

    package let file: FileHandle
    private var place: Place

    package init(of path: String, _ access: FileAccess) throws(SystemError) {
        if let file = Self.nameless(path, access) {
            self.file = file
            self.place = .nameless
        } else {
            let draft = Self.draft(of: path)
            self.file = try FileHandle(draft, for: .creating(access), named: path)
            self.place = .draft(draft)
        }
    }

    /// What has its name already, such as a pipe: there is nothing to replace.
    package init(inPlace file: consuming FileHandle) {
        self.file = file
        self.place = .final
    }

    deinit {
        if case .draft(let draft) = self.place { FileSystem.remove(draft) }
    }

    package var path: String { self.file.path }

    /// Whether it takes the place of something, or has it.
    package var isInPlace: Bool {
        switch self.place {
        case .final: true
        case .nameless, .draft: false
        }
    }

    /// Takes the place of what is there.
    /// - Parameter isDurable: whether it outlives a loss of power when this comes back.
    package mutating func commit(isDurable: Bool) throws(SystemError) {
        if isDurable { try self.file.sync() }
        switch self.place {
        case .final: return
        case .draft(let draft): try FileSystem.rename(draft, to: self.path)
        case .nameless:
            // A nameless file can be given a name, but only one that is still free.
            let draft = Self.draft(of: self.path)
            try self.link(as: draft)
            self.place = .draft(draft)
            try FileSystem.rename(draft, to: self.path)
        }
        self.place = .final
        if isDurable { try FileSystem.syncDirectory(FileSystem.directory(of: self.path)) }
    }

    /// Takes its place, for good, if nothing is there. False when something is.
    package mutating func commitIfAbsent() throws(SystemError) -> Bool {
        try self.file.sync()
        do throws(SystemError) {
            try self.link(as: self.path)
        } catch {
            guard error.errno == .fileExists else { throw error }
            return false
        }
        try FileSystem.syncDirectory(FileSystem.directory(of: self.path))
        return true
    }

    /// Makes a whole small file in one go.
    package static func write(_ bytes: [UInt8], to path: String, _ access: FileAccess) throws(SystemError) {
        var replacement = try FileReplacement(of: path, access)
        try replacement.file.write(bytes.span)
        try replacement.commit(isDurable: true)
    }

    private func link(as name: String) throws(SystemError) {
        let source =
            switch self.place {
            case .nameless, .final: "\(Self.descriptors)/\(self.file.descriptor.number)"
            case .draft(let draft): draft
            }
        guard unsafe linkat(AT_FDCWD, source, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else {
            throw SystemError(.write, self.path, .last)
        }
    }

    private static let descriptors = "/proc/self/fd"

    /// Nil where files without a name are not known, or could not be given one.
    private static func nameless(_ path: String, _ access: FileAccess) -> FileHandle? {
        guard let purpose = FileHandle.Purpose.nameless(access), FileSystem.exists(self.descriptors) else { return nil }
        return try? FileHandle(FileSystem.directory(of: path), for: purpose, named: path)
    }

    private static func draft(of path: String) -> String {
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        let file = path.split(separator: "/").last.map(String.init) ?? "file"
        return "\(FileSystem.directory(of: path))/.\(file.prefix(64)).\(token).part"
    }
}
