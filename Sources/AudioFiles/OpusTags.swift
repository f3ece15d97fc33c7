import Bytes

/// The second packet of an Opus stream in Ogg: who made it, and `NAME=value` lines (RFC 7845 §5.2).
package struct OpusTags: Hashable, Sendable {
    /// The software that encoded the sound.
    package var vendor: String
    package var comments: [String]

    package init(vendor: String, comments: [String] = []) {
        self.vendor = vendor
        self.comments = comments
    }

    package static let magic = Array("OpusTags".utf8)
    /// A cover picture fits; what is larger has nothing to do in a voice message.
    package static let maximumPacketBytes = 4 << 20
    /// Each comment costs at least four bytes, so this is a limit on memory, not on honest files.
    package static let maximumComments = 4096

    package init(parsing bytes: [UInt8], at offset: Int) throws(AudioFileError) {
        guard bytes.starts(with: Self.magic) else { throw AudioFileError(.missing("OpusTags"), at: offset) }
        do throws(ByteError) {
            var reader = ByteReader(bytes.span)
            _ = try reader.skip(Self.magic.count)
            self.vendor = try Self.readText(from: &reader)
            let count: UInt32 = try reader.readLittleEndian()
            guard count <= Self.maximumComments else { throw ByteError(.outOfRange, at: reader.offset - 4) }
            self.comments = []
            for _ in 0..<count { self.comments.append(try Self.readText(from: &reader)) }
        } catch {
            throw AudioFileError(error.reason == .truncated ? .truncated : .outOfRange, at: offset + error.offset)
        }
    }

    private static func readText(from reader: inout ByteReader) throws(ByteError) -> String {
        let length: UInt32 = try reader.readLittleEndian()
        return String(decoding: try reader.array(Int(length)), as: UTF8.self)
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.write(contentsOf: Self.magic)
        Self.write(self.vendor, to: &writer)
        writer.writeLittleEndian(UInt32(self.comments.count))
        for text in self.comments { Self.write(text, to: &writer) }
        return writer.bytes
    }

    private static func write(_ text: String, to writer: inout ByteWriter) {
        writer.writeLittleEndian(UInt32(text.utf8.count))
        writer.write(text)
    }

    /// The value of the first comment of that name; names are compared without case.
    package subscript(_ name: String) -> String? {
        let prefix = name.lowercased() + "="
        return self.comments.first { $0.lowercased().hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
}
