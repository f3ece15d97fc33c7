/// Bytes that never change once they are made: a frame encoded once and queued on many connections.
@safe package final class SharedBytes: @unchecked Sendable {
    // Unchecked because the compiler cannot see that `base` is not written to after `init`.
    let base: UnsafePointer<UInt8>
    package let count: Int

    package init(_ bytes: Span<UInt8>) {
        let storage = UnsafeMutablePointer<UInt8>.allocate(capacity: max(bytes.count, 1))
        unsafe bytes.withUnsafeBufferPointer { source in
            if let start = source.baseAddress { unsafe storage.initialize(from: start, count: source.count) }
        }
        unsafe self.base = UnsafePointer(storage)
        self.count = bytes.count
    }

    package convenience init(_ bytes: [UInt8]) {
        self.init(bytes.span)
    }

    deinit {
        unsafe self.base.deallocate()
    }

    package var span: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get {
            let view = unsafe Span(_unsafeStart: self.base, count: self.count)
            return unsafe _overrideLifetime(view, borrowing: self)
        }
    }
}
