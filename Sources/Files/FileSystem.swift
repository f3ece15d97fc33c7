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
}
