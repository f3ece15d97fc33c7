package import Bytes

/// Writes extensions behind a header that promised them.
package struct RTPExtensionWriter: Hashable, Sendable {
    private let form: RTPExtensionForm
    private let start: Int

    /// The short form is for identifiers up to 14 and values of 1 to 16 bytes; everything else needs the long one.
    package init(isLong: Bool = false, to writer: inout ByteWriter) {
        self.form = isLong ? .long : .short
        writer.write(isLong ? 0x1000 : 0xBEDE as UInt16)
        writer.write(UInt16(0))
        self.start = writer.count
    }

    /// An extension that does not fit into the form is a mistake of ours.
    package func append(_ id: UInt8, _ value: Span<UInt8>, to writer: inout ByteWriter) {
        self.begin(id, value.count, to: &writer)
        writer.write(value)
    }

    package func append(_ id: UInt8, _ number: some FixedWidthInteger, to writer: inout ByteWriter) {
        self.begin(id, number.bitWidth / 8, to: &writer)
        writer.write(number)
    }

    /// As every packet has it.
    package func append(_ id: UInt8, _ number: UInt16, to writer: inout ByteWriter) {
        self.begin(id, 2, to: &writer)
        writer.write(number)
    }

    private func begin(_ id: UInt8, _ count: Int, to writer: inout ByteWriter) {
        if self.form == .short {
            precondition((1...14).contains(id) && (1...16).contains(count), "extension \(id) of \(count) bytes")
            writer.write(id << 4 | UInt8(count - 1))
        } else {
            precondition(id > 0 && count < 256, "extension \(id) of \(count) bytes")
            writer.write(id)
            writer.write(UInt8(count))
        }
    }

    /// Fills up to the next word, and says in front how long it has become.
    package func finish(_ writer: inout ByteWriter) {
        while !(writer.count - self.start).isMultiple(of: 4) { writer.write(UInt8(0)) }
        writer.overwrite(at: self.start - 2, with: UInt16(clamping: (writer.count - self.start) / 4))
    }
}

/// How loud the sound of a packet is (RFC 6464).
package struct RTPAudioLevel: Hashable, Sendable {
    /// Whether there is speech.
    package let isVoice: Bool
    /// In decibels below full scale: 0 is the loudest, 127 silence.
    package let attenuation: UInt8

    package init(isVoice: Bool, attenuation: UInt8) {
        self.isVoice = isVoice
        self.attenuation = min(attenuation, 127)
    }

    package init(byte: UInt8) {
        self.init(isVoice: byte & 0x80 != 0, attenuation: byte & 0x7F)
    }

    package var byte: UInt8 { (self.isVoice ? 0x80 : 0) | self.attenuation }
}

extension RTPPacket {
    package func audioLevel(_ id: UInt8) -> RTPAudioLevel? {
        // One byte, or in the long form perhaps two with nothing in the second (RFC 6464 §3).
        guard let range = self.range(of: id), let first = range.first else { return nil }
        return RTPAudioLevel(byte: self.bytes[first])
    }

    /// Counts the packets of a transport, whatever stream they are of (transport-wide congestion control).
    package func transportSequence(_ id: UInt8) -> UInt16? {
        guard let range = self.range(of: id), range.count >= 2 else { return nil }
        return self.bytes.bigEndian(at: range.lowerBound)
    }

    /// The name of the section that a stream belongs to (RFC 9143 §15), as bytes.
    @_lifetime(copy self)
    package func mediaID(_ id: UInt8) -> Span<UInt8>? { self.value(of: id) }
}
