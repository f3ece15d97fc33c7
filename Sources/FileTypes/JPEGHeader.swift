internal import Bytes

/// The segments of a JPEG file up to the one with the size (ITU T.81 §B.1).
enum JPEGHeader {
    /// Turned when the camera says that it lay on its side.
    static func size(_ reader: inout ByteReader) throws(ByteError) -> PictureSize? {
        guard try reader.read(UInt16.self) == 0xFFD8 else { return nil }
        var isTurned = false
        while true {
            let marker = try self.marker(&reader)
            // Those that stand alone.
            if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            guard marker != 0xD9, marker != 0xDA else { return nil }
            let length = try reader.read(UInt16.self)
            guard length >= 2 else { return nil }
            let segment = try reader.slice(Int(length) - 2)
            if marker == 0xE1 { isTurned = self.isTurned(segment) ?? isTurned }
            if self.isFrame(marker) { return try self.frame(segment, isTurned: isTurned) }
        }
    }

    /// Any number of 0xFF may stand in front.
    private static func marker(_ reader: inout ByteReader) throws(ByteError) -> UInt8 {
        guard try reader.read() == 0xFF else { throw ByteError(.truncated, at: reader.offset) }
        var marker: UInt8 = 0xFF
        while marker == 0xFF { marker = try reader.read() }
        return marker
    }

    /// SOF0 to SOF15, without the three numbers among them that mean something else.
    private static func isFrame(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    private static func frame(_ segment: Span<UInt8>, isTurned: Bool) throws(ByteError) -> PictureSize {
        var reader = ByteReader(segment)
        _ = try reader.skip(1)
        let (height, width) = (Int(try reader.read(UInt16.self)), Int(try reader.read(UInt16.self)))
        return isTurned ? PictureSize(width: height, height: width) : PictureSize(width: width, height: height)
    }

    /// Exif, orientation (tag 0x0112): 5 to 8 lie on their side. Nil when nothing is said about it.
    private static func isTurned(_ segment: Span<UInt8>) -> Bool? {
        var reader = ByteReader(segment)
        do throws(ByteError) {
            guard try reader.read(UInt32.self) == 0x4578_6966 else { return nil }
            _ = try reader.skip(2)
            let tiff = try reader.slice(reader.remaining)
            return try self.orientation(tiff).map { (5...8).contains($0) }
        } catch {
            return nil
        }
    }

    private static func orientation(_ tiff: Span<UInt8>) throws(ByteError) -> UInt16? {
        var reader = ByteReader(tiff)
        let isLittle = try reader.read(UInt16.self) == 0x4949
        let native = { (value: UInt16) in isLittle ? value.byteSwapped : value }
        _ = try reader.skip(2)
        let offset = try reader.read(UInt32.self)
        _ = try reader.skip(Int(isLittle ? offset.byteSwapped : offset) - 8)
        for _ in 0..<native(try reader.read(UInt16.self)) {
            let tag = native(try reader.read(UInt16.self))
            _ = try reader.skip(6)
            let value = native(try reader.read(UInt16.self))
            _ = try reader.skip(2)
            if tag == 0x0112 { return value }
        }
        return nil
    }
}
