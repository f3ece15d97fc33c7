internal import CSRTP
package import Secure

/// Keeps the media of one call secret, both ways, where it lies: what leaves grows by a trailer, what comes shrinks by it.
///
/// It refuses what was there before, and to send two packets under one number. After an error the packet is garbage.
@safe package final class SRTPSession {
    package let profile: SRTPProfile
    private let outgoing: srtp_t
    private let incoming: srtp_t
    /// Whom the other side sends as. Each costs memory for as long as the call lasts, so they are counted.
    private var sources: [UInt32] = []
    private let maximumSources: Int

    /// The room that a packet needs behind it: for RTP, and for RTCP with its number.
    package static func trailerLength(_ profile: SRTPProfile) -> (rtp: Int, rtcp: Int) {
        let tag = profile == .aes128SHA1Tag80 ? 10 : 16
        return (tag, tag + 4)
    }

    package init(_ keys: SRTPKeys, maximumSources: Int = 64) throws(SRTPError) {
        Self.prepare()
        guard Self.library == srtp_err_status_ok else { throw SRTPError(Self.library) }
        self.profile = keys.profile
        self.maximumSources = maximumSources
        unsafe self.outgoing = try Self.make(keys.profile, keys.outgoing, ssrc_any_outbound)
        do {
            unsafe self.incoming = try Self.make(keys.profile, keys.incoming, ssrc_any_inbound)
        } catch {
            unsafe srtp_dealloc(self.outgoing)
            throw error
        }
    }

    deinit {
        unsafe srtp_dealloc(self.outgoing)
        unsafe srtp_dealloc(self.incoming)
    }

    /// Set up once for the program, which takes some milliseconds: a program that will need it does well to begin with it.
    package static func prepare() { _ = (SRTPSession.library, SRTPSession.usesOpenSSL) }

    private static let library = srtp_init()

    /// For AES. Where libsrtp does not take it, its own does as well.
    package static let usesOpenSSL = SRTPSession.library == srtp_err_status_ok && AESLibrary.install()

    private static func make(
        _ profile: SRTPProfile, _ master: SRTPKeys.Master, _ direction: srtp_ssrc_type_t
    ) throws(SRTPError) -> srtp_t {
        guard master.count == profile.keyLength + profile.saltLength else { throw SRTPError(.malformed) }
        var policy = unsafe srtp_policy_t()
        unsafe profile.set(&policy.rtp)
        unsafe profile.set(&policy.rtcp)
        unsafe policy.ssrc.type = direction
        // A second of packets of 20 ms over and over: more than any network holds back.
        unsafe policy.window_size = 1024
        var session: srtp_t?
        var key = master
        let status = unsafe key.withUnsafeMutableBufferPointer { key in
            unsafe policy.key = key.baseAddress
            return unsafe srtp_create(&session, &policy)
        }
        guard status == srtp_err_status_ok, let made = unsafe session else { throw SRTPError(status) }
        return unsafe made
    }
}

// MARK: - What leaves

extension SRTPSession {
    /// Protects the first `count` bytes of the buffer, a packet of RTP, and says how many it has become.
    package func protectRTP(_ buffer: inout MutableSpan<UInt8>, count: Int) throws(SRTPError) -> Int {
        try Self.checkRoom(buffer.count, count, least: 12, Self.trailerLength(self.profile).rtp)
        return try unsafe self.apply(srtp_protect, self.outgoing, &buffer, count)
    }

    /// Protects the first `count` bytes of the buffer, a datagram of RTCP, and says how many it has become.
    package func protectRTCP(_ buffer: inout MutableSpan<UInt8>, count: Int) throws(SRTPError) -> Int {
        try Self.checkRoom(buffer.count, count, least: 8, Self.trailerLength(self.profile).rtcp)
        return try unsafe self.apply(srtp_protect_rtcp, self.outgoing, &buffer, count)
    }

    private static func checkRoom(_ room: Int, _ count: Int, least: Int, _ trailer: Int) throws(SRTPError) {
        guard count >= least, count <= room else { throw SRTPError(.malformed) }
        guard room - count >= trailer else { throw SRTPError(.noRoom) }
    }
}

// MARK: - What comes

extension SRTPSession {
    /// Opens a packet of RTP, and says how many bytes of the buffer it is now.
    package func unprotectRTP(_ packet: inout MutableSpan<UInt8>) throws(SRTPError) -> Int {
        let least = 12 + Self.trailerLength(self.profile).rtp
        return try unsafe self.open(srtp_unprotect, &packet, least: least, sourceAt: 8)
    }

    /// Opens a datagram of RTCP, and says how many bytes of the buffer it is now.
    package func unprotectRTCP(_ packet: inout MutableSpan<UInt8>) throws(SRTPError) -> Int {
        let least = 8 + Self.trailerLength(self.profile).rtcp
        return try unsafe self.open(srtp_unprotect_rtcp, &packet, least: least, sourceAt: 4)
    }

    /// A sender has left for good; its place is free for another. What it sent could be sent again now, so this is for
    /// those whose media is not taken any more.
    package func forget(_ ssrc: UInt32) {
        guard let index = self.sources.firstIndex(of: ssrc) else { return }
        self.sources.remove(at: index)
        // libsrtp knows it, for it was heard; and if not, there is nothing to take away.
        _ = unsafe srtp_remove_stream(self.incoming, ssrc.bigEndian)
    }

    private func open(
        _ open: Transform, _ packet: inout MutableSpan<UInt8>, least: Int, sourceAt offset: Int
    ) throws(SRTPError) -> Int {
        guard packet.count >= least else { throw SRTPError(.malformed) }
        let ssrc = packet.span.source(at: offset)
        let isKnown = self.sources.contains(ssrc)
        guard isKnown || self.sources.count < self.maximumSources else { throw SRTPError(.tooManySources) }
        let count = try unsafe self.apply(open, self.incoming, &packet, packet.count)
        // Only now it is certain that the other side wrote it.
        if !isKnown { self.sources.append(ssrc) }
        return count
    }

    private typealias Transform = (srtp_t?, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int32>?) -> srtp_err_status_t

    private func apply(
        _ transform: Transform, _ session: srtp_t, _ buffer: inout MutableSpan<UInt8>, _ count: Int
    ) throws(SRTPError) -> Int {
        guard var length = Int32(exactly: count) else { throw SRTPError(.malformed) }
        let status = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            unsafe transform(session, bytes.baseAddress, &length)
        }
        guard status == srtp_err_status_ok else { throw SRTPError(status) }
        return Int(length)
    }
}

extension Span where Element == UInt8 {
    fileprivate func source(at offset: Int) -> UInt32 {
        (offset..<(offset + 4)).reduce(0) { $0 << 8 | UInt32(self[$1]) }
    }
}

extension SRTPProfile {
    fileprivate func set(_ policy: inout srtp_crypto_policy_t) {
        switch self {
        case .aeadAES128GCM: unsafe srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy)
        case .aeadAES256GCM: unsafe srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy)
        case .aes128SHA1Tag80: unsafe srtp_crypto_policy_set_rtp_default(&policy)
        }
    }
}
