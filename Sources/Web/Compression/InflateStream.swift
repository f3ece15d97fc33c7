internal import CZlib

/// Why compressed bytes could not be read.
enum InflateError: Error, Hashable, Sendable {
    case corrupt
    /// More came out than was allowed.
    case tooLarge
}

/// One zlib decompressor and the memory it works in.
@safe final class InflateStream {
    private static let scratchBytes = 16 * 1024
    // On the heap, because zlib's state points back at it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private let isRaw: Bool

    init(_ format: CompressionFormat) {
        self.isRaw = format != .gzip
        unsafe self.stream = .allocate(capacity: 1)
        unsafe self.stream.initialize(to: z_stream())
        unsafe self.scratch = .allocate(capacity: Self.scratchBytes)
        let code = unsafe parley_inflate_init(self.stream, format.zlibWindowBits)
        // The arguments are ours; what is left is a lack of memory, which ends every Swift program.
        precondition(code == Z_OK, "inflateInit2 failed with \(code)")
    }

    deinit {
        unsafe inflateEnd(self.stream)
        unsafe self.stream.deallocate()
        unsafe self.scratch.deallocate()
    }

    /// Forgets everything, so that the next stream begins.
    func reset() {
        unsafe inflateReset(self.stream)
    }

    /// True right after a whole block: the bytes so far did not stop in the middle of something.
    var isAtBlockEnd: Bool { unsafe self.stream.pointee.data_type & 128 != 0 }

    /// Decompresses a piece and appends what is ready. True when the stream said that it ended there.
    func decompress(_ input: Span<UInt8>, limit: Int, into out: inout [UInt8]) throws(InflateError) -> Bool {
        unsafe try input.withUnsafeBufferPointer { bytes throws(InflateError) in
            unsafe try self.decompress(bytes, limit, &out)
        }
    }

    private func decompress(
        _ input: UnsafeBufferPointer<UInt8>, _ limit: Int, _ out: inout [UInt8]
    ) throws(InflateError) -> Bool {
        var hasEnded = false
        var fed = 0
        while fed < input.count {
            // zlib counts in 32 bits.
            let count = min(input.count - fed, 1 << 30)
            unsafe self.stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)?.advanced(by: fed)
            unsafe self.stream.pointee.avail_in = UInt32(count)
            fed += count
            hasEnded = try self.drain(limit, &out)
        }
        return hasEnded
    }

    private func drain(_ limit: Int, _ out: inout [UInt8]) throws(InflateError) -> Bool {
        while true {
            unsafe self.stream.pointee.next_out = self.scratch.baseAddress
            unsafe self.stream.pointee.avail_out = UInt32(Self.scratchBytes)
            let code = unsafe inflate(self.stream, Z_SYNC_FLUSH)
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw .corrupt }
            let left = unsafe Int(self.stream.pointee.avail_out)
            guard Self.scratchBytes - left <= limit - out.count else { throw .tooLarge }
            unsafe out.append(contentsOf: self.scratch[..<(Self.scratchBytes - left)])
            let isUsedUp = unsafe self.stream.pointee.avail_in == 0
            if code == Z_STREAM_END {
                if isUsedUp { return true }
                try self.continueAfterEnd()
            } else if isUsedUp && left > 0 {
                return false
            }
        }
    }

    /// A raw stream may go on after a block that called itself the last one, and may still refer to
    /// what came before (RFC 7692 §7.2.3.4); anything else after the end does not belong there.
    private func continueAfterEnd() throws(InflateError) {
        guard self.isRaw, unsafe inflateResetKeep(self.stream) == Z_OK else { throw .corrupt }
    }
}
