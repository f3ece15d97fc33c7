import Bytes

/// One page of an Ogg stream (RFC 3533 §6).
package struct OggPage: Hashable, Sendable {
    /// Its first packet began on an earlier page.
    package var isContinued = false
    /// The first page of its stream.
    package var isFirst = false
    /// The last page of its stream.
    package var isLast = false
    /// For Opus: the samples at 48 kHz up to the end of the last packet that ends here; -1 when none does.
    package var granule: Int64
    package var serial: UInt32
    package var sequence: UInt32
    /// How the body is cut into packets: a value below 255 ends one.
    package var lacing: [UInt8]
    package var body: [UInt8]

    package static let magic = Array("OggS".utf8)
    package static let headerSize = 27

    package init(granule: Int64, serial: UInt32, sequence: UInt32, lacing: [UInt8], body: [UInt8]) {
        self.granule = granule
        self.serial = serial
        self.sequence = sequence
        self.lacing = lacing
        self.body = body
    }

    /// Why no page could be read.
    package enum Failure: Error, Hashable, Sendable {
        /// More bytes are needed to tell.
        case incomplete
        /// No page starts here, or its checksum is wrong.
        case damaged
    }

    /// Reads the page at the front of `bytes`, where `OggS` stands.
    package init(parsing bytes: Span<UInt8>) throws(Failure) {
        guard bytes.count >= Self.headerSize else { throw .incomplete }
        let lacingEnd = Self.headerSize + Int(bytes[26])
        guard bytes.count >= lacingEnd else { throw .incomplete }
        var size = lacingEnd
        for index in Self.headerSize..<lacingEnd { size += Int(bytes[index]) }
        guard bytes.count >= size else { throw .incomplete }
        guard bytes[4] == 0, OggChecksum.isRight(for: bytes.extracting(0..<size)) else { throw .damaged }
        do {
            try self.init(header: bytes)
        } catch {
            throw .damaged
        }
        self.lacing = [UInt8](copying: bytes.extracting(Self.headerSize..<lacingEnd))
        self.body = [UInt8](copying: bytes.extracting(lacingEnd..<size))
    }

    private init(header: Span<UInt8>) throws(ByteError) {
        var reader = ByteReader(header)
        _ = try reader.skip(5)
        let flags: UInt8 = try reader.read()
        let granule: Int64 = try reader.readLittleEndian()
        let serial: UInt32 = try reader.readLittleEndian()
        let sequence: UInt32 = try reader.readLittleEndian()
        self.init(granule: granule, serial: serial, sequence: sequence, lacing: [], body: [])
        self.isContinued = flags & 1 != 0
        self.isFirst = flags & 2 != 0
        self.isLast = flags & 4 != 0
    }

    /// How many bytes the page takes in its file.
    package var size: Int { Self.headerSize + self.lacing.count + self.body.count }

    /// Writes the page at the back of `output`.
    package func write(to output: inout [UInt8]) {
        let start = output.count
        var writer = ByteWriter(reservingCapacity: Self.headerSize)
        writer.write(contentsOf: Self.magic)
        writer.write(UInt8(0))
        writer.write(UInt8((self.isContinued ? 1 : 0) | (self.isFirst ? 2 : 0) | (self.isLast ? 4 : 0)))
        writer.writeLittleEndian(self.granule)
        writer.writeLittleEndian(self.serial)
        writer.writeLittleEndian(self.sequence)
        writer.writeLittleEndian(UInt32(0))
        writer.write(UInt8(truncatingIfNeeded: self.lacing.count))
        output.append(contentsOf: writer.bytes)
        output.append(contentsOf: self.lacing)
        output.append(contentsOf: self.body)
        Self.writeChecksum(into: &output, from: start, to: output.count)
    }

    /// Puts the right checksum into the page that lies there.
    package static func writeChecksum(into bytes: inout [UInt8], from start: Int, to end: Int) {
        let checksum = OggChecksum.of(bytes.span.extracting(start..<end))
        for index in 0..<4 {
            bytes[start + 22 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index))
        }
    }
}

/// The checksum of a page: CRC-32 with the polynomial 0x04C11DB7, not reflected, its own field taken as zero.
enum OggChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index) << 24
        for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
        return value
    }

    static func of(_ page: Span<UInt8>) -> UInt32 {
        let table = self.table.span
        var checksum: UInt32 = 0
        for index in page.indices {
            let byte = (22..<26).contains(index) ? 0 : page[index]
            checksum = checksum << 8 ^ table[Int(checksum >> 24 ^ UInt32(byte))]
        }
        return checksum
    }

    static func isRight(for page: Span<UInt8>) -> Bool {
        let stated = (22..<26).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(page[$1]) }
        return stated == self.of(page)
    }
}
