internal import CZlib

/// One zlib compressor and the memory it works in.
@safe final class DeflateStream {
    enum Flush {
        /// Keeps back what compresses better with more to come.
        case none
        /// Brings everything out up to a byte border.
        case sync
        /// Ends the stream.
        case finish

        fileprivate var code: Int32 {
            switch self {
            case .none: Z_NO_FLUSH
            case .sync: Z_SYNC_FLUSH
            case .finish: Z_FINISH
            }
        }
    }

    private static let scratchBytes = 16 * 1024
    // On the heap, because zlib's state points back at it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch: UnsafeMutableBufferPointer<UInt8>

    init(_ format: CompressionFormat, level: Int32) {
        unsafe self.stream = .allocate(capacity: 1)
        unsafe self.stream.initialize(to: z_stream())
        unsafe self.scratch = .allocate(capacity: Self.scratchBytes)
        let code = unsafe parley_deflate_init(self.stream, level, format.zlibWindowBits, 8)
        // The arguments are ours; what is left is a lack of memory, which ends every Swift program.
        precondition(code == Z_OK, "deflateInit2 failed with \(code)")
    }

    deinit {
        unsafe deflateEnd(self.stream)
        unsafe self.stream.deallocate()
        unsafe self.scratch.deallocate()
    }

    /// Forgets everything, so that the next stream begins.
    func reset() {
        unsafe deflateReset(self.stream)
    }

    /// Compresses a piece and appends what is ready.
    func compress(_ input: Span<UInt8>, flush: Flush, into out: inout [UInt8]) {
        unsafe input.withUnsafeBufferPointer { unsafe self.compress($0, flush.code, &out) }
    }

    private func compress(_ input: UnsafeBufferPointer<UInt8>, _ flush: Int32, _ out: inout [UInt8]) {
        var fed = 0
        repeat {
            // zlib counts in 32 bits.
            let count = min(input.count - fed, 1 << 30)
            unsafe self.stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)?.advanced(by: fed)
            unsafe self.stream.pointee.avail_in = UInt32(count)
            fed += count
            self.drain(fed == input.count ? flush : Z_NO_FLUSH, &out)
        } while fed < input.count
    }

    private func drain(_ flush: Int32, _ out: inout [UInt8]) {
        var isFull = true
        while isFull {
            unsafe self.stream.pointee.next_out = self.scratch.baseAddress
            unsafe self.stream.pointee.avail_out = UInt32(Self.scratchBytes)
            unsafe deflate(self.stream, flush)
            let left = unsafe Int(self.stream.pointee.avail_out)
            unsafe out.append(contentsOf: self.scratch[..<(Self.scratchBytes - left)])
            isFull = left == 0
        }
    }
}
