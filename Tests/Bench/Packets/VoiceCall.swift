import Bytes
import RTP
import SRTP
import Secure

/// Opus with the level of the sound and the number of the transport, as a sender of ours gives it away.
struct Voice {
    var bytes: [UInt8]
    private(set) var number: UInt16 = 0
    private let count: Int

    init() {
        var writer = ByteWriter()
        RTPHeader(payloadType: 111, sequenceNumber: 0, timestamp: 0, ssrc: 0x5EED).write(
            hasExtensions: true, to: &writer)
        writer.write(0xBEDE_0002 as UInt32)
        writer.write(contentsOf: [0x10, 0x9E, 0x31, 0x12, 0x34, 0, 0, 0])
        writer.writeZeros(60)
        self.count = writer.count
        writer.writeZeros(16)
        self.bytes = writer.bytes
    }

    /// As it is before it is protected.
    var packet: [UInt8] { Array(self.bytes.prefix(self.count)) }

    /// The next packet as it is written before it is protected. Says how many bytes of the buffer it has.
    mutating func next() -> Int {
        self.number &+= 1
        (self.bytes[2], self.bytes[3]) = (UInt8(self.number >> 8), UInt8(self.number & 255))
        return self.count
    }
}

/// Both ends of a call, in the cipher that two of ours agree on.
struct VoiceCall {
    var voice = Voice()
    private let (here, there): (SRTPSession, SRTPSession)

    init() throws {
        let (ours, theirs) = ([UInt8](repeating: 1, count: 28), [UInt8](repeating: 2, count: 28))
        self.here = try SRTPSession(SRTPKeys(.aeadAES128GCM, outgoing: ours, incoming: theirs))
        self.there = try SRTPSession(SRTPKeys(.aeadAES128GCM, outgoing: theirs, incoming: ours))
    }

    mutating func protect() throws -> Int {
        let (here, count) = (self.here, self.voice.next())
        var buffer = self.voice.bytes.mutableSpan
        return try here.protectRTP(&buffer, count: count)
    }

    mutating func pass() throws -> Int {
        let (there, count) = (self.there, try self.protect())
        var buffer = self.voice.bytes.mutableSpan
        var packet = buffer._mutatingExtracting(first: count)
        return try there.unprotectRTP(&packet)
    }
}
