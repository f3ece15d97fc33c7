internal import COpenSSL

/// MD5 (RFC 1321), broken for every use but one: the long-term credentials of STUN are made with it (RFC 8489 §18.5.1.1).
package enum MD5 {
    package static func hash(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: 16)
        unsafe parley_md5(bytes, bytes.count, &digest)
        return digest
    }
}
