#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The heap of the C library, for libraries that let us allocate for them, and blocks of it that begin with a page.
@unsafe package enum HeapMemory {
    private static let pageSize = sysconf(Int32(_SC_PAGESIZE))

    package static func allocate(_ count: Int) -> UnsafeMutableRawPointer? { unsafe malloc(count) }

    package static func reallocate(_ block: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutableRawPointer? {
        unsafe realloc(block, count)
    }

    package static func free(_ block: UnsafeMutableRawPointer?) { unsafe freeSystem(block) }

    /// A page-aligned block. It is freed like any other.
    package static func allocatePages(_ count: Int) -> UnsafeMutableRawPointer? {
        var block: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&block, self.pageSize, count) == 0 else { return nil }
        return unsafe block
    }

    package static func isPageAligned(_ block: UnsafeMutableRawPointer) -> Bool {
        unsafe UInt(bitPattern: block) & UInt(self.pageSize - 1) == 0
    }

    /// Returns the whole pages of a page-aligned block to the kernel. The block stays; what was in them reads as zeros.
    package static func discardPages(of block: UnsafeMutableRawPointer, _ count: Int) {
        _ = unsafe madvise(block, count / self.pageSize * self.pageSize, self.discarding)
    }

    #if canImport(Glibc)
    private static let discarding = MADV_DONTNEED
    #else
    private static let discarding = MADV_FREE
    #endif
}

// The library's own, where the function of the same name hides it.
private func freeSystem(_ block: UnsafeMutableRawPointer?) { unsafe free(block) }
