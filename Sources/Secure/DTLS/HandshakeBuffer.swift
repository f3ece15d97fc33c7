internal import COpenSSL
internal import System

/// The memory in which OpenSSL gathers the messages of one handshake. A DTLS session keeps these 16 KiB to its end, in case the other
/// side asks for the last of them again; their pages go back to the kernel once the handshake is done.
///
/// It is known which memory that is where OpenSSL allocates through here (`install`); elsewhere nothing is given back.
package final class HandshakeBuffer: Sendable {
    /// What OpenSSL asks for to hold the longest record: it takes a third more than it needs.
    static let size = (16_384 + 3) / 3 * 4

    /// Whose handshake runs on this thread.
    @TaskLocal private static var current: HandshakeBuffer?
    /// By the addresses of their blocks.
    private static let buffers = Locked<[UInt: HandshakeBuffer]>([:])

    /// Where the block is, guarded by the lock of `buffers`.
    private nonisolated(unsafe) var address: UInt?

    package init() {}

    /// How many sessions have one.
    static var count: Int { self.buffers.withLock { $0.count } }

    /// Lets OpenSSL allocate through here. That has to come before its first allocation.
    ///
    /// - Returns: whether it was early enough.
    @discardableResult package static func install() -> Bool {
        unsafe CRYPTO_set_mem_functions(
            { count, _, _ in unsafe HandshakeBuffer.allocate(count) },
            { block, count, _, _ in unsafe HandshakeBuffer.reallocate(block, count) },
            { block, _, _ in unsafe HandshakeBuffer.free(block) }) == 1
    }

    /// Takes what OpenSSL allocates for messages within `body`.
    func allocating<Result>(_ body: () -> Result) -> Result { Self.$current.withValue(self, operation: body) }

    /// Gives the pages back. Messages that are gathered later take new ones.
    func discard() {
        // The lock keeps OpenSSL from freeing the block meanwhile.
        Self.buffers.withLock { _ in
            guard let address = unsafe self.address, let block = unsafe UnsafeMutableRawPointer(bitPattern: address)
            else { return }
            unsafe HeapMemory.discardPages(of: block, Self.size)
        }
    }
}

// MARK: - What OpenSSL asks for

extension HandshakeBuffer {
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard count > 0 else { return nil }
        guard count == self.size, let buffer = self.current else { return unsafe HeapMemory.allocate(count) }
        guard let block = unsafe HeapMemory.allocatePages(count) else { return nil }
        unsafe buffer.own(block)
        return unsafe block
    }

    static func reallocate(_ block: UnsafeMutableRawPointer?, _ count: Int) -> UnsafeMutableRawPointer? {
        guard let block = unsafe block else { return unsafe self.allocate(count) }
        guard count > 0 else {
            unsafe self.free(block)
            return nil
        }
        unsafe self.forget(block)
        return unsafe HeapMemory.reallocate(block, count)
    }

    static func free(_ block: UnsafeMutableRawPointer?) {
        guard let block = unsafe block else { return }
        unsafe self.forget(block)
        unsafe HeapMemory.free(block)
    }

    private func own(_ block: UnsafeMutableRawPointer) {
        let address = UInt(bitPattern: block)
        Self.buffers.withLock { buffers in
            buffers[address] = self
            unsafe self.address = address
        }
    }

    private static func forget(_ block: UnsafeMutableRawPointer) {
        guard unsafe HeapMemory.isPageAligned(block) else { return }
        let address = UInt(bitPattern: block)
        self.buffers.withLock { buffers in unsafe buffers.removeValue(forKey: address)?.address = nil }
    }
}
