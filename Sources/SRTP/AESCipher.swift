internal import COpenSSL
internal import CSRTP

/// AES under one key, done by OpenSSL for libsrtp, which says when what is to be done with which bytes.
@safe final class AESCipher {
    private let kind: AESKind
    private let context: OpaquePointer
    private let tagLength: Int32
    /// Of counter mode: where counting begins (RFC 3711 §4.1.1).
    private var offset = SIMD16<UInt8>(repeating: 0)

    init?(_ kind: AESKind, tagLength: Int32) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        self.kind = kind
        self.tagLength = tagLength
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(self.context)
    }

    /// A key with its salt behind it.
    func begin(_ key: UnsafePointer<UInt8>) -> Bool {
        if !self.kind.hasTag { for index in 0..<14 { self.offset[index] = unsafe key[self.kind.keyLength + index] } }
        return unsafe EVP_CipherInit_ex(self.context, self.kind.function, nil, key, nil, 1) == 1
    }

    func setVector(_ vector: UnsafePointer<UInt8>, encrypts: Bool) -> Bool {
        guard !self.kind.hasTag else {
            return unsafe EVP_CipherInit_ex(self.context, nil, nil, nil, vector, encrypts ? 1 : 0) == 1
        }
        var counter = self.offset
        for index in 0..<16 { counter[index] ^= unsafe vector[index] }
        return unsafe withUnsafeBytes(of: counter) { counter in
            let bytes = unsafe counter.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe EVP_CipherInit_ex(self.context, nil, nil, nil, bytes, 1) == 1
        }
    }

    /// What is not secret, but must not be changed either.
    func authenticate(_ bytes: UnsafePointer<UInt8>, count: UInt32) -> Bool {
        var done: Int32 = 0
        return unsafe EVP_CipherUpdate(self.context, nil, &done, bytes, Int32(clamping: count)) == 1
    }

    func transform(_ bytes: UnsafeMutablePointer<UInt8>, count: UInt32) -> Bool {
        var done: Int32 = 0
        guard count > 0 else { return true }
        return unsafe EVP_CipherUpdate(self.context, bytes, &done, bytes, Int32(clamping: count)) == 1
    }

    /// Of what was encrypted.
    func takeTag(_ tag: UnsafeMutablePointer<UInt8>) -> UInt32? {
        guard self.finish(), unsafe EVP_CIPHER_CTX_ctrl(self.context, EVP_CTRL_AEAD_GET_TAG, self.tagLength, tag) == 1
        else { return nil }
        return UInt32(self.tagLength)
    }

    /// Decrypts what has its tag behind it, and says how long it is without; nil when it is not authentic.
    func open(_ bytes: UnsafeMutablePointer<UInt8>, count: UInt32) -> UInt32? {
        guard self.kind.hasTag else { return unsafe self.transform(bytes, count: count) ? count : nil }
        guard count >= UInt32(self.tagLength) else { return nil }
        let length = count - UInt32(self.tagLength)
        guard unsafe EVP_CIPHER_CTX_ctrl(self.context, EVP_CTRL_AEAD_SET_TAG, self.tagLength, bytes + Int(length)) == 1,
            unsafe self.transform(bytes, count: length), self.finish()
        else { return nil }
        return length
    }

    private func finish() -> Bool {
        var rest: (UInt64, UInt64) = (0, 0)
        var count: Int32 = 0
        return unsafe withUnsafeMutableBytes(of: &rest) { rest in
            unsafe EVP_CipherFinal_ex(
                self.context, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), &count) == 1
        }
    }
}
