internal import Bytes

/// How large a picture is in pixels, as it is shown: read from its header, without decoding anything.
package struct PictureSize: Hashable, Sendable {
    package let width: Int
    package let height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var pixels: Int { self.width * self.height }

    /// How many bytes from a file's beginning are worth looking at: the header of a photo stands behind its colour
    /// profile and a small picture of itself.
    package static let lookedAt = 512 << 10

    /// What its size becomes when the longer side shall not be longer than that; never larger, never nothing.
    package func fitted(into longest: Int) -> PictureSize {
        let side = max(self.width, self.height)
        guard side > longest else { return self }
        let scaled = { (length: Int) in max(1, (length * longest * 2 + side) / (side * 2)) }
        return PictureSize(width: scaled(self.width), height: scaled(self.height))
    }

    /// Nil for what is no picture, or one whose header is cut off or makes no sense.
    package init?(of type: FileType, in bytes: Span<UInt8>) {
        var reader = ByteReader(bytes)
        let size: PictureSize?
        do throws(ByteError) {
            switch type {
            case .png: size = try Self.png(&reader)
            case .gif: size = try Self.gif(&reader)
            case .webp: size = try Self.webp(&reader)
            case .jpeg: size = try JPEGHeader.size(&reader)
            default: size = nil
            }
        } catch {
            return nil
        }
        guard let size, size.width > 0, size.height > 0 else { return nil }
        self = size
    }

    /// The first chunk is always the header (PNG §11.2.1).
    private static func png(_ reader: inout ByteReader) throws(ByteError) -> PictureSize? {
        _ = try reader.skip(12)
        guard try reader.read(UInt32.self) == 0x4948_4452 else { return nil }
        let (width, height) = (try reader.read(UInt32.self), try reader.read(UInt32.self))
        guard width <= Int32.max, height <= Int32.max else { return nil }
        return PictureSize(width: Int(width), height: Int(height))
    }

    private static func gif(_ reader: inout ByteReader) throws(ByteError) -> PictureSize? {
        _ = try reader.skip(6)
        let (width, height) = (try reader.read(UInt16.self).byteSwapped, try reader.read(UInt16.self).byteSwapped)
        return PictureSize(width: Int(width), height: Int(height))
    }

    /// Lossy, lossless, or with a header of its own (RFC 9649 §2.5–2.7).
    private static func webp(_ reader: inout ByteReader) throws(ByteError) -> PictureSize? {
        _ = try reader.skip(12)
        let form = try reader.read(UInt32.self)
        _ = try reader.skip(4)
        switch form {
        case 0x5650_3820:  // "VP8 "
            _ = try reader.skip(6)
            let (width, height) = (try reader.read(UInt16.self).byteSwapped, try reader.read(UInt16.self).byteSwapped)
            return PictureSize(width: Int(width & 0x3FFF), height: Int(height & 0x3FFF))
        case 0x5650_384C:  // "VP8L"
            guard try reader.read() == 0x2F else { return nil }
            let bits = try reader.read(UInt32.self).byteSwapped
            return PictureSize(width: Int(bits & 0x3FFF) + 1, height: Int(bits >> 14 & 0x3FFF) + 1)
        case 0x5650_3858:  // "VP8X"
            _ = try reader.skip(4)
            return PictureSize(width: try self.littleThree(&reader) + 1, height: try self.littleThree(&reader) + 1)
        default: return nil
        }
    }

    private static func littleThree(_ reader: inout ByteReader) throws(ByteError) -> Int {
        let (low, middle, high) = (try reader.read(), try reader.read(), try reader.read())
        return Int(low) | Int(middle) << 8 | Int(high) << 16
    }
}
