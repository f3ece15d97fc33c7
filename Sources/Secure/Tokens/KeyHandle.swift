internal import COpenSSL

/// A key of OpenSSL, or only its public half, and what every kind does in the same way.
@safe final class KeyHandle: @unchecked Sendable {
    // Unchecked because the key is only read once it is made.
    let handle: OpaquePointer

    /// Takes the key over; nil for none.
    init?(owning handle: OpaquePointer?) {
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    /// - Parameter pem: a private key without a password.
    convenience init(pem: [UInt8], _ kind: String) throws(SecureError) {
        guard let key = unsafe KeyHandle(owning: parley_private_key(pem, pem.count)) else {
            throw SecureError("reading \(kind) key")
        }
        unsafe self.init(copying: key.handle)
    }

    private init(copying handle: OpaquePointer) {
        unsafe EVP_PKEY_up_ref(handle)
        unsafe self.handle = handle
    }

    deinit { unsafe EVP_PKEY_free(self.handle) }

    /// Nil for a hash means that the algorithm brings its own.
    func signature(
        of message: [UInt8], _ hash: OpaquePointer?, maximumLength: Int, _ kind: String
    ) throws(SecureError) -> [UInt8] {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: maximumLength)
        var count = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, hash, nil, self.handle) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw SecureError("signing with \(kind)") }
        return Array(signature.prefix(count))
    }

    func isValid(_ signature: [UInt8], of message: [UInt8], _ hash: OpaquePointer?) -> Bool {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, hash, nil, self.handle) == 1 else { return false }
        let code = unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count)
        // A refusal leaves words in the thread's queue that would be taken for the next error's.
        if code != 1 { ERR_clear_error() }
        return code == 1
    }
}
