internal import COpenSSL

/// A key for HMAC with the part of the work done that depends on the key alone.
///
/// Who checks many short messages with one key, as ICE and TURN do, pays for the message only; and nothing is
/// allocated.
package struct HMACKey: Sendable {
    package let digest: Digest
    private let schedule: parley_hmac_key

    package init(_ key: [UInt8], using digest: Digest) {
        let short = key.count > 64 ? digest.hash(key) : key
        var schedule = parley_hmac_key()
        unsafe parley_hmac_prepare(&schedule, digest == .sha256 ? 1 : 0, short, short.count)
        self.digest = digest
        self.schedule = schedule
    }

    package func code(of message: [UInt8]) -> [UInt8] {
        let nothing: [UInt8] = []
        let code = self.code(of: message.span, nothing.span)
        return (0..<code.count).map { code.bytes[$0] }
    }

    /// The code of a message that lies in two pieces.
    package func code(of first: Span<UInt8>, _ second: Span<UInt8>) -> HMACCode {
        var code = InlineArray<32, UInt8>(repeating: 0)
        var output = code.mutableSpan
        unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe first.withUnsafeBufferPointer { first in
                unsafe second.withUnsafeBufferPointer { second in
                    guard let place = output.baseAddress else { return }
                    let schedule = self.schedule
                    unsafe Swift.withUnsafePointer(to: schedule) { schedule in
                        unsafe parley_hmac_code(
                            schedule, first.baseAddress, first.count, second.baseAddress, second.count, place)
                    }
                }
            }
        }
        return HMACCode(bytes: code, count: self.digest.byteCount)
    }
}

/// What `HMACKey` makes of a message: 20 or 32 bytes that lie in the value itself.
package struct HMACCode: Sendable {
    package let bytes: InlineArray<32, UInt8>
    package let count: Int

    /// Compares in a time that does not tell where they differ. What is shorter is compared as far as it goes: a
    /// protocol may shorten the codes it sends, and decides itself how far.
    package func begins(with expected: Span<UInt8>) -> Bool {
        guard expected.count <= self.count else { return false }
        var difference: UInt8 = 0
        for index in expected.indices { difference |= expected[index] ^ self.bytes[index] }
        return difference == 0
    }
}
