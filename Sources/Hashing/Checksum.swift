internal import CZlib

/// A sum that finds damage, but keeps no secret and proves nothing.
package enum Checksum {
    /// The CRC-32 of ITU V.42, Ethernet, gzip and STUN.
    package static func crc32(_ bytes: Span<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            // A nil pointer asks zlib for the value to start with, which is what nothing sums up to.
            unsafe UInt32(truncatingIfNeeded: CZlib.crc32(0, bytes.baseAddress, UInt32(clamping: bytes.count)))
        }
    }
}
