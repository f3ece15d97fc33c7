import SocketIO
import Testing

@Suite("A packet with attachments")
struct SocketPacketAssemblerTests {
    private static let header = #"52-["a",{"_placeholder":true,"num":1},{"_placeholder":true,"num":0}]"#

    private func text(
        _ text: String, to assembler: inout SocketPacketAssembler
    ) throws(SocketPacketError) -> SocketPacketAssembler.Outcome {
        let bytes = Array(text.utf8)
        return try assembler.received(text: bytes.span)
    }

    private func binary(
        _ bytes: [UInt8], to assembler: inout SocketPacketAssembler
    ) throws(SocketPacketError) -> SocketPacketAssembler.Outcome {
        try assembler.received(binary: bytes.span)
    }

    @Test("is whole when the last of them is here, and the next can follow")
    func whole() throws {
        var assembler = SocketPacketAssembler()
        for _ in 0..<2 {
            #expect(try self.text(Self.header, to: &assembler) == .waiting)
            #expect(try self.binary([1, 2], to: &assembler) == .waiting)
            guard case .assembled(let whole) = try self.binary([], to: &assembler) else {
                Issue.record("two attachments did not make it whole")
                return
            }
            #expect(whole.attachments == [[1, 2], []])
            #expect(whole.source == Array(Self.header.utf8))
            #expect(whole.packet.kind == .binaryEvent)
        }
    }

    @Test("that announces none is whole at once, like any packet without")
    func immediate() throws {
        var assembler = SocketPacketAssembler()
        guard case .packet(let plain) = try self.text(#"2["a"]"#, to: &assembler),
            case .packet(let binary) = try self.text(#"50-["a"]"#, to: &assembler)
        else {
            Issue.record("a packet without attachments had to wait")
            return
        }
        #expect(plain.kind == .event && binary.kind == .binaryEvent)
        #expect(throws: SocketPacketError(.unexpectedAttachment, at: 0)) { try self.binary([1], to: &assembler) }
    }

    @Test("is refused when something comes between")
    func interrupted() throws {
        var assembler = SocketPacketAssembler()
        _ = try self.text(Self.header, to: &assembler)
        _ = try self.binary([1], to: &assembler)
        #expect(throws: SocketPacketError(.missingAttachment, at: 0)) { try self.text(#"2["a"]"#, to: &assembler) }
    }

    @Test("may weigh only so much in all")
    func bounded() throws {
        var assembler = SocketPacketAssembler(limits: SocketPacketLimits(attachmentBytes: 10))
        _ = try self.text(Self.header, to: &assembler)
        #expect(try self.binary([UInt8](repeating: 0, count: 10), to: &assembler) == .waiting)
        #expect(throws: SocketPacketError(.attachmentsTooLarge, at: 0)) { try self.binary([0], to: &assembler) }
    }
}
