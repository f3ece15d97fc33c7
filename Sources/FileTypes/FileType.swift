internal import Bytes

/// What kind of file bytes are. It goes by the bytes alone: names and headers are only claims.
package struct FileType: Hashable, Sendable {
    /// As `Content-Type` has it.
    package let mediaType: String
    /// What a file of this type is usually called behind the dot.
    package let suffix: String
    /// Whether a browser may show it where it is; all others are for saving.
    package let isShown: Bool

    private init(_ mediaType: String, _ suffix: String, isShown: Bool = true) {
        self.mediaType = mediaType
        self.suffix = suffix
        self.isShown = isShown
    }

    package static let png = FileType("image/png", "png")
    package static let jpeg = FileType("image/jpeg", "jpg")
    package static let gif = FileType("image/gif", "gif")
    package static let webp = FileType("image/webp", "webp")
    package static let heic = FileType("image/heic", "heic")
    package static let avif = FileType("image/avif", "avif")
    package static let mp4 = FileType("video/mp4", "mp4")
    package static let quickTime = FileType("video/quicktime", "mov")
    package static let threeGP = FileType("video/3gpp", "3gp")
    package static let m4a = FileType("audio/mp4", "m4a")
    package static let webm = FileType("video/webm", "webm")
    package static let matroska = FileType("video/x-matroska", "mkv")
    package static let ogg = FileType("audio/ogg", "ogg")
    package static let wav = FileType("audio/wav", "wav")
    package static let amr = FileType("audio/amr", "amr")
    package static let amrWide = FileType("audio/amr-wb", "awb")
    package static let mp3 = FileType("audio/mpeg", "mp3")
    package static let aac = FileType("audio/aac", "aac")
    package static let flac = FileType("audio/flac", "flac")
    package static let pdf = FileType("application/pdf", "pdf", isShown: false)
    package static let zip = FileType("application/zip", "zip", isShown: false)
    package static let gzip = FileType("application/gzip", "gz", isShown: false)
    package static let text = FileType("text/plain; charset=utf-8", "txt", isShown: false)
    package static let octets = FileType("application/octet-stream", "bin", isShown: false)

    package static let all: [FileType] = [
        .png, .jpeg, .gif, .webp, .heic, .avif, .mp4, .quickTime, .threeGP, .m4a, .webm, .matroska, .ogg, .wav, .amr,
        .amrWide, .mp3, .aac, .flac, .pdf, .zip, .gzip, .text, .octets,
    ]

    /// The one that is written so; just bytes when there is none.
    package init(mediaType: String) {
        self = Self.all.first { $0.mediaType == mediaType } ?? .octets
    }

    /// Whether its size in pixels can be read, and a smaller one be made of it.
    package var isPicture: Bool { [.png, .jpeg, .gif, .webp].contains(self) }

    /// How many bytes from a file's beginning are worth looking at.
    package static let lookedAt = 4096

    /// - Parameter isWhole: whether there is nothing behind these bytes.
    package init(sniffing bytes: Span<UInt8>, isWhole: Bool) {
        let known = Self.signatures.first { bytes.starts(with: $0.bytes) }?.type
        let found = known ?? Self.container(bytes) ?? Self.sound(bytes)
        self = found ?? (Self.isText(bytes, isWhole: isWhole) ? .text : .octets)
    }
}

// MARK: - How each of them begins

extension FileType {
    private static let signatures: [(bytes: [UInt8], type: FileType)] = [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png), ([0xFF, 0xD8, 0xFF], .jpeg),
        (Array("GIF87a".utf8), .gif), (Array("GIF89a".utf8), .gif), (Array("OggS".utf8), .ogg),
        (Array("#!AMR-WB\n".utf8), .amrWide), (Array("#!AMR\n".utf8), .amr), (Array("fLaC".utf8), .flac),
        (Array("ID3".utf8), .mp3), (Array("%PDF-".utf8), .pdf), (Array("PK\u{3}\u{4}".utf8), .zip),
        ([0x1F, 0x8B, 0x08], .gzip),
    ]

    /// Those that say what is in them a little further on.
    private static func container(_ bytes: Span<UInt8>) -> FileType? {
        if bytes.starts(with: Array("RIFF".utf8)) {
            if bytes.has("WEBP", at: 8) { return .webp }
            return bytes.has("WAVE", at: 8) ? .wav : nil
        }
        if bytes.has("ftyp", at: 4) { return self.isoMedia(bytes) }
        guard bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) else { return nil }
        let isWebM = (4..<min(bytes.count, 64)).contains { bytes.has("webm", at: $0) }
        return isWebM ? .webm : .matroska
    }

    /// By the major brand (ISO 14496-12 §4.3).
    private static func isoMedia(_ bytes: Span<UInt8>) -> FileType {
        if ["heic", "heix", "mif1", "heim", "heis"].contains(where: { bytes.has($0, at: 8) }) { return .heic }
        if ["avif", "avis"].contains(where: { bytes.has($0, at: 8) }) { return .avif }
        if bytes.has("qt  ", at: 8) { return .quickTime }
        if bytes.has("M4A ", at: 8) || bytes.has("M4B ", at: 8) { return .m4a }
        return bytes.has("3gp", at: 8) || bytes.has("3g2", at: 8) ? .threeGP : .mp4
    }

    /// A frame of MPEG audio begins with eleven ones; what follows tells ADTS from MP3.
    private static func sound(_ bytes: Span<UInt8>) -> FileType? {
        guard bytes.count >= 4, bytes[0] == 0xFF else { return nil }
        if bytes[1] & 0xF6 == 0xF0 { return .aac }
        let hasLayer = bytes[1] & 0xE0 == 0xE0 && bytes[1] & 0x06 != 0 && bytes[1] & 0x18 != 0x08
        return hasLayer && bytes[2] & 0xF0 != 0xF0 && bytes[2] & 0x0C != 0x0C ? .mp3 : nil
    }

    /// UTF-8 without control characters. The last character may be cut in two when more follows.
    private static func isText(_ bytes: Span<UInt8>, isWhole: Bool) -> Bool {
        let isCalm = bytes.indices.allSatisfy { bytes[$0] >= 0x20 || [0x09, 0x0A, 0x0C, 0x0D].contains(bytes[$0]) }
        guard isCalm else { return false }
        let ends = isWhole ? 0...0 : 0...min(3, bytes.count)
        return ends.contains { end in String(utf8: bytes.extracting(droppingLast: end)) != nil }
    }
}

extension Span<UInt8> {
    fileprivate func starts(with prefix: [UInt8]) -> Bool {
        self.count >= prefix.count && prefix.indices.allSatisfy { self[$0] == prefix[$0] }
    }

    fileprivate func has(_ word: String, at offset: Int) -> Bool {
        let word = Array(word.utf8)
        guard self.count >= offset + word.count else { return false }
        return word.indices.allSatisfy { self[offset + $0] == word[$0] }
    }
}
