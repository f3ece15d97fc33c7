import Testing

@testable import Secure

@Suite("The memory of a DTLS handshake", .timeLimit(.minutes(1)))
struct HandshakeBufferTests {
    private let buffer = HandshakeBuffer()

    /// A block as OpenSSL asks for it, with something in it.
    private func fill(_ count: Int) throws -> UnsafeMutableRawPointer {
        let block = try #require(HandshakeBuffer.allocate(count))
        block.initializeMemory(as: UInt8.self, repeating: 7, count: count)
        return block
    }

    private func first(_ block: UnsafeMutableRawPointer) -> UInt8 { block.load(as: UInt8.self) }

    @Test("is given back when the handshake is done, and can be used again")
    func discarded() throws {
        let block = try self.buffer.allocating { Result { try self.fill(HandshakeBuffer.size) } }.get()
        #expect(self.first(block) == 7)
        self.buffer.discard()
        #if os(Linux)
        #expect(self.first(block) == 0)
        #endif
        block.storeBytes(of: 9, as: UInt8.self)
        #expect(self.first(block) == 9)
        HandshakeBuffer.free(block)
        self.buffer.discard()
    }

    @Test("of anything else is left alone")
    func others() throws {
        let other = try self.buffer.allocating { Result { try self.fill(HandshakeBuffer.size - 1) } }.get()
        let outside = try self.fill(HandshakeBuffer.size)
        self.buffer.discard()
        for block in [other, outside] {
            #expect(self.first(block) == 7)
            HandshakeBuffer.free(block)
        }
        #expect(HandshakeBuffer.allocate(0) == nil)
    }

    @Test("that became larger is no longer taken for the handshake's")
    func grown() throws {
        let block = try self.buffer.allocating { Result { try self.fill(HandshakeBuffer.size) } }.get()
        let larger = try #require(HandshakeBuffer.reallocate(block, 2 * HandshakeBuffer.size))
        self.buffer.discard()
        #expect(self.first(larger) == 7)
        #expect(HandshakeBuffer.reallocate(larger, 0) == nil)
    }

    @Test("is OpenSSL's own where it allocates through us, and a flight that was lost is repeated all the same")
    func repeated() async {
        // A process of its own: it is too late once OpenSSL has allocated anything.
        await #expect(processExitsWith: .success) {
            try #require(HandshakeBuffer.install(), "too late")
            let pair = try DTLSPair()
            try pair.connectWithLoss()
            #expect(HandshakeBuffer.count == 2)
            try pair.client.send([1, 2, 3].span)
            try pair.carry()
            #expect(pair.heardByServer == [[1, 2, 3]])
        }
    }
}
