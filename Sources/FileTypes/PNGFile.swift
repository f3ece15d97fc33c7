/// Writes small drawings as PNG (ISO 15948): a palette of at most four colours, two bits a pixel, not compressed.
package enum PNGFile {
    package typealias Colour = (red: UInt8, green: UInt8, blue: UInt8)

    /// - Parameter pixels: the numbers of their colours, row by row.
    package static func encode(width: Int, height: Int, colours: [Colour], pixels: [UInt8]) -> [UInt8] {
        precondition(pixels.count == width * height && (1...4).contains(colours.count), "no drawing of this size")
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        self.chunk("IHDR", self.big(width) + self.big(height) + [2, 3, 0, 0, 0], to: &file)
        self.chunk("PLTE", colours.flatMap { [$0.red, $0.green, $0.blue] }, to: &file)
        self.chunk("IDAT", self.stored(self.rows(width: width, pixels)), to: &file)
        self.chunk("IEND", [], to: &file)
        return file
    }

    /// Each row behind the number of its filter, which is none.
    private static func rows(width: Int, _ pixels: [UInt8]) -> [UInt8] {
        var rows: [UInt8] = []
        for start in stride(from: 0, to: pixels.count, by: width) {
            rows.append(0)
            let row = pixels[start..<(start + width)]
            for place in stride(from: row.startIndex, to: row.endIndex, by: 4) {
                let four = (0..<4).map { place + $0 < row.endIndex ? row[place + $0] & 3 : 0 }
                rows.append(four[0] << 6 | four[1] << 4 | four[2] << 2 | four[3])
            }
        }
        return rows
    }

    /// A zlib stream of blocks that are as they are (RFC 1950, RFC 1951 §3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        let most = 65_535
        for start in stride(from: 0, to: bytes.count, by: most) {
            let block = bytes[start..<min(start + most, bytes.count)]
            let count = UInt16(block.count)
            stream.append(block.endIndex == bytes.count ? 1 : 0)
            stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
            stream += block
        }
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return stream + self.big(high << 16 | low)
    }

    private static func chunk(_ name: String, _ content: [UInt8], to file: inout [UInt8]) {
        let named = Array(name.utf8) + content
        file += self.big(content.count) + named + self.big(Int(self.checksum(named)))
    }

    /// CRC-32, bit by bit: a drawing is small.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private static func big(_ value: Int) -> [UInt8] {
        [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
