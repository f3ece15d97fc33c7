import AudioFiles
import Bytes

/// Small WebM files, byte by byte.
enum WebMBuilder {
    static let ebml: UInt32 = 0x1A45_DFA3
    static let segment: UInt32 = 0x1853_8067
    static let info: UInt32 = 0x1549_A966
    static let tracks: UInt32 = 0x1654_AE6B
    static let cluster: UInt32 = 0x1F43_B675

    static func element(_ id: UInt32, _ content: [UInt8], isSizeKnown: Bool = true) -> [UInt8] {
        var writer = ByteWriter()
        for shift in [24, 16, 8, 0] as [UInt32] where id >> shift != 0 {
            writer.write(UInt8(truncatingIfNeeded: id >> shift))
        }
        if isSizeKnown { writer.write(UInt64(content.count) | 1 << 56) } else { writer.write(UInt64.max >> 7) }
        if !isSizeKnown { writer.overwrite(at: writer.count - 8, with: UInt64(0x01FF_FFFF_FFFF_FFFF)) }
        writer.write(contentsOf: content)
        return writer.bytes
    }

    static func track(
        codec: String = "A_OPUS", type: UInt8 = 2, number: UInt8 = 1, head: [UInt8] = OggBuilder.head.bytes
    ) -> [UInt8] {
        let fields =
            self.element(0xD7, [number]) + self.element(0x83, [type]) + self.element(0x86, Array(codec.utf8))
            + self.element(0x63A2, head)
        return self.element(0xAE, fields)
    }

    static func beginning(tracks: [UInt8]? = nil) -> [UInt8] {
        self.element(self.ebml, self.element(0x4282, Array("webm".utf8)))
            + self.element(self.segment, [], isSizeKnown: false)
            + self.element(self.info, self.element(0x2AD7B1, [0x0F, 0x42, 0x40]))
            + self.element(self.tracks, tracks ?? self.track())
    }

    static func cluster(at time: UInt16, _ blocks: [UInt8], isSizeKnown: Bool = false) -> [UInt8] {
        let content = self.element(0xE7, [UInt8(time >> 8), UInt8(truncatingIfNeeded: time)]) + blocks
        return self.element(self.cluster, content, isSizeKnown: isSizeKnown)
    }

    static func simpleBlock(_ frame: [UInt8], at time: Int16, track: UInt8 = 1, flags: UInt8 = 0x80) -> [UInt8] {
        let bits = UInt16(bitPattern: time)
        return self.element(0xA3, [track | 0x80, UInt8(bits >> 8), UInt8(truncatingIfNeeded: bits), flags] + frame)
    }

    /// A recording like a browser's: clusters of unknown size, packets of 20 ms.
    static func file(_ packets: [[UInt8]]) -> [UInt8] {
        var file = self.beginning()
        for (index, packet) in packets.enumerated() {
            let time = index % 50
            if time == 0 { file += self.cluster(at: UInt16(index * 20), []) }
            file += self.simpleBlock(packet, at: Int16(time * 20))
        }
        return file
    }
}
