internal import Bytes
internal import COpenSSL
internal import CSRTP

/// Puts OpenSSL's AES in the place of libsrtp's own.
///
/// libsrtp may have been built with another library for it: Debian's takes it from NSS, which keeps 6 KiB for each key and
/// makes the key's schedule anew with each packet (docs/decisions/srtp-room.md). Replay, keys and numbers stay libsrtp's
/// business, and it only takes a cipher that passes its own tests.
@safe enum AESLibrary {
    /// Once for the program, before the first session. False where libsrtp goes on with its own.
    static func install() -> Bool {
        AESKind.allCases.allSatisfy { kind in
            unsafe srtp_replace_cipher_type(Self.type(of: kind), kind.id) == srtp_err_status_ok
        }
    }

    /// They last as long as the program, since libsrtp keeps them.
    private static func type(of kind: AESKind) -> UnsafePointer<srtp_cipher_type_t> {
        switch kind {
        case .counter128: unsafe Self.types.counter128
        case .counter256: unsafe Self.types.counter256
        case .gcm128: unsafe Self.types.gcm128
        case .gcm256: unsafe Self.types.gcm256
        }
    }

    // Made once for the program, never changed after.
    nonisolated(unsafe) private static let types = (
        counter128: unsafe Self.make(.counter128), counter256: unsafe Self.make(.counter256),
        gcm128: unsafe Self.make(.gcm128), gcm256: unsafe Self.make(.gcm256)
    )

    private static func make(_ kind: AESKind) -> UnsafePointer<srtp_cipher_type_t> {
        let type = UnsafeMutablePointer<srtp_cipher_type_t>.allocate(capacity: 1)
        unsafe type.initialize(
            to: srtp_cipher_type_t(
                alloc: Self.allocate, dealloc: Self.deallocate, init: Self.begin, set_aad: Self.authenticate,
                encrypt: Self.encrypt, decrypt: Self.decrypt, set_iv: Self.setVector, get_tag: Self.takeTag,
                description: UnsafePointer(strdup("AES by OpenSSL")), test_data: Self.testCase(kind.proof), id: kind.id)
        )
        return unsafe UnsafePointer(type)
    }

    private static func testCase(_ proof: AESProof) -> UnsafePointer<srtp_cipher_test_case_t> {
        let test = UnsafeMutablePointer<srtp_cipher_test_case_t>.allocate(capacity: 1)
        let (key, vector) = unsafe (Self.bytes(proof.key), Self.bytes(proof.vector))
        let (plain, secret, open) = unsafe (Self.bytes(proof.plain), Self.bytes(proof.secret), Self.bytes(proof.open))
        unsafe test.initialize(
            to: srtp_cipher_test_case_t(
                key_length_octets: Int32(key.count), key: key.baseAddress, idx: vector.baseAddress,
                plaintext_length_octets: UInt32(plain.count), plaintext: plain.baseAddress,
                ciphertext_length_octets: UInt32(secret.count), ciphertext: secret.baseAddress,
                aad_length_octets: Int32(open.count), aad: open.baseAddress, tag_length_octets: Int32(proof.tagLength),
                next_test_case: nil))
        return unsafe UnsafePointer(test)
    }

    private static func bytes(_ hex: String) -> UnsafeMutableBufferPointer<UInt8> {
        let bytes = (try? Hex.decode(hex)) ?? []
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = unsafe buffer.initialize(from: bytes)
        return unsafe buffer
    }
}

// MARK: - What libsrtp calls

extension AESLibrary {
    /// Without counting references: libsrtp keeps it for as long as it uses it.
    private static func with<Result>(
        _ state: UnsafeMutableRawPointer?, _ body: (AESCipher) -> Result?
    ) -> Result? {
        guard let state = unsafe state else { return nil }
        return unsafe Unmanaged<AESCipher>.fromOpaque(state)._withUnsafeGuaranteedRef(body)
    }

    private static func status(_ isFine: Bool?, _ failure: srtp_err_status_t) -> srtp_err_status_t {
        isFine == true ? srtp_err_status_ok : failure
    }

    private static let allocate: srtp_cipher_alloc_func_t = { place, length, tagLength in
        guard let place = unsafe place, let kind = AESKind(length: length),
            let state = AESCipher(kind, tagLength: tagLength)
        else { return srtp_err_status_bad_param }
        let cipher = UnsafeMutablePointer<srtp_cipher_t>.allocate(capacity: 1)
        unsafe cipher.initialize(
            to: srtp_cipher_t(
                type: AESLibrary.type(of: kind), state: Unmanaged.passRetained(state).toOpaque(), key_len: length,
                algorithm: Int32(kind.id)))
        unsafe place.pointee = cipher
        return srtp_err_status_ok
    }

    private static let deallocate: srtp_cipher_dealloc_func_t = { cipher in
        guard let cipher = unsafe cipher, let state = unsafe cipher.pointee.state else {
            return srtp_err_status_bad_param
        }
        unsafe Unmanaged<AESCipher>.fromOpaque(state).release()
        unsafe cipher.deallocate()
        return srtp_err_status_ok
    }

    private static let begin: srtp_cipher_init_func_t = { state, key in
        guard let key = unsafe key else { return srtp_err_status_bad_param }
        return AESLibrary.status(unsafe AESLibrary.with(state) { unsafe $0.begin(key) }, srtp_err_status_init_fail)
    }

    private static let authenticate: srtp_cipher_set_aad_func_t = { state, bytes, count in
        guard let bytes = unsafe bytes else { return srtp_err_status_ok }
        return AESLibrary.status(
            unsafe AESLibrary.with(state) { unsafe $0.authenticate(bytes, count: count) }, srtp_err_status_algo_fail)
    }

    private static let setVector: srtp_cipher_set_iv_func_t = { state, vector, direction in
        guard let vector = unsafe vector else { return srtp_err_status_bad_param }
        let isFine = unsafe AESLibrary.with(state) {
            unsafe $0.setVector(vector, encrypts: direction != srtp_direction_decrypt)
        }
        return AESLibrary.status(isFine, srtp_err_status_cipher_fail)
    }

    private static let encrypt: srtp_cipher_encrypt_func_t = { state, bytes, count in
        guard let bytes = unsafe bytes, let count = unsafe count?.pointee else { return srtp_err_status_bad_param }
        return AESLibrary.status(
            unsafe AESLibrary.with(state) { unsafe $0.transform(bytes, count: count) }, srtp_err_status_cipher_fail)
    }

    private static let decrypt: srtp_cipher_decrypt_func_t = { state, bytes, count in
        guard let bytes = unsafe bytes, let count = unsafe count else { return srtp_err_status_bad_param }
        guard let length = unsafe AESLibrary.with(state, { unsafe $0.open(bytes, count: count.pointee) }) else {
            return srtp_err_status_auth_fail
        }
        unsafe count.pointee = length
        return srtp_err_status_ok
    }

    private static let takeTag: srtp_cipher_get_tag_func_t = { state, tag, length in
        guard let tag = unsafe tag, let length = unsafe length,
            let count = unsafe AESLibrary.with(state, { unsafe $0.takeTag(tag) })
        else { return srtp_err_status_cipher_fail }
        unsafe length.pointee = count
        return srtp_err_status_ok
    }
}
