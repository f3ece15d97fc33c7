import Bytes

/// What WebM says about one track.
struct WebMTrack: Hashable, Sendable {
    var number: UInt64 = 0
    var type: UInt64 = 0
    var codec = ""
    var codecPrivate: [UInt8] = []
    /// Where `codecPrivate` lies, from the start of the tracks.
    var codecPrivateOffset = 0
    var isEncoded = false

    static let audio: UInt64 = 2

    private enum ID {
        static let entry: UInt32 = 0xAE
        static let number: UInt32 = 0xD7
        static let type: UInt32 = 0x83
        static let codec: UInt32 = 0x86
        static let codecPrivate: UInt32 = 0x63A2
        static let contentEncodings: UInt32 = 0x6D80
    }

    static func all(in content: Span<UInt8>) throws(ByteError) -> [WebMTrack] {
        var tracks: [WebMTrack] = []
        try EBML.forEach(in: content) { id, entry, at throws(ByteError) in
            guard id == ID.entry else { return }
            tracks.append(try WebMTrack(parsing: entry, at: at))
        }
        return tracks
    }

    private init(parsing entry: Span<UInt8>, at offset: Int) throws(ByteError) {
        var track = Self()
        try EBML.forEach(in: entry) { id, content, at throws(ByteError) in
            switch id {
            case ID.number: track.number = try EBML.unsigned(content)
            case ID.type: track.type = try EBML.unsigned(content)
            case ID.codec: track.codec = EBML.text(content)
            case ID.codecPrivate:
                track.codecPrivate = [UInt8](copying: content)
                track.codecPrivateOffset = offset + at
            case ID.contentEncodings: track.isEncoded = true
            default: break
            }
        }
        self = track
    }

    private init() {}
}
