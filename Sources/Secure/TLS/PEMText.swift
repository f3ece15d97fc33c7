internal import COpenSSL

/// What OpenSSL writes as text.
enum PEMText {
    /// - Parameter write: puts everything into the BIO; false when it could not.
    static func bytes(_ attempt: String, _ write: (OpaquePointer) -> Bool) throws(SecureError) -> [UInt8] {
        guard let target = unsafe parley_memory_bio() else { throw SecureError(attempt) }
        defer { unsafe BIO_free(target) }
        guard unsafe write(target) else { throw SecureError(attempt) }
        var bytes = [UInt8](repeating: 0, count: unsafe parley_bio_pending(target))
        let count = unsafe BIO_read(target, &bytes, Int32(clamping: bytes.count))
        return Array(bytes.prefix(Int(max(count, 0))))
    }
}
