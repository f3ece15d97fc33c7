#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Calls of the system whose names our own functions have as well.
enum FileSystem {
    static func open(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Glibc)
        unsafe Glibc.open(path, flags)
        #else
        unsafe Darwin.open(path, flags)
        #endif
    }

    static func link(_ path: String, _ other: String) -> Int32 {
        #if canImport(Glibc)
        unsafe Glibc.link(path, other)
        #else
        unsafe Darwin.link(path, other)
        #endif
    }

    static func pipe(_ ends: inout [Int32]) -> Int32 {
        #if canImport(Glibc)
        unsafe Glibc.pipe(&ends)
        #else
        unsafe Darwin.pipe(&ends)
        #endif
    }

    /// When something was written to it, in seconds since 1970.
    static func changed(_ status: stat) -> Int {
        #if canImport(Glibc)
        status.st_mtim.tv_sec
        #else
        status.st_mtimespec.tv_sec
        #endif
    }

    /// How many bytes may still be written there.
    static func free(_ status: statvfs) -> UInt64 {
        let (free, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : free
    }

    static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { start in
                    unsafe start.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names
    }

    static func front(of path: String, upTo limit: Int) -> [UInt8]? {
        let descriptor = self.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe read(descriptor, &bytes, limit)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }
}
