/// What kind of bytes a body holds, as `Content-Type` says it.
package struct MediaType: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    /// Whether compressing such bytes is worth the trouble.
    package let isCompressible: Bool

    package var description: String { self.text }

    package static let octets = MediaType(text: "application/octet-stream", isCompressible: false)
    package static let json = MediaType(text: "application/json", isCompressible: true)
    package static let plainText = MediaType(text: "text/plain; charset=utf-8", isCompressible: true)
    package static let html = MediaType(text: "text/html; charset=utf-8", isCompressible: true)
    package static let form = MediaType(text: "application/x-www-form-urlencoded", isCompressible: true)

    /// Goes by what follows the last dot of a file's name; a name that says nothing holds just bytes.
    package init(fileName: String) {
        guard let dot = fileName.utf8.lastIndex(of: UInt8(ascii: ".")) else {
            self = .octets
            return
        }
        self = Self.known[fileName[fileName.index(after: dot)...].lowercased()] ?? .octets
    }

    private init(text: String, isCompressible: Bool) {
        self.text = text
        self.isCompressible = isCompressible
    }

    private static let known: [String: MediaType] = {
        var known: [String: MediaType] = ["html": .html, "htm": .html, "txt": .plainText, "json": .json, "map": .json]
        for (name, text) in Self.compressible { known[name] = MediaType(text: text, isCompressible: true) }
        for (name, text) in Self.packed { known[name] = MediaType(text: text, isCompressible: false) }
        return known
    }()

    private static let compressible: KeyValuePairs = [
        "css": "text/css; charset=utf-8", "csv": "text/csv; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "md": "text/markdown; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
        "vtt": "text/vtt; charset=utf-8", "wasm": "application/wasm", "webmanifest": "application/manifest+json",
        "xml": "application/xml", "wav": "audio/wav", "ico": "image/x-icon", "otf": "font/otf", "ttf": "font/ttf",
    ]

    private static let packed: KeyValuePairs = [
        "aac": "audio/aac", "avif": "image/avif", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
        "heic": "image/heic", "jpeg": "image/jpeg", "jpg": "image/jpeg", "m4a": "audio/mp4", "mov": "video/quicktime",
        "mp3": "audio/mpeg", "mp4": "video/mp4", "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg",
        "opus": "audio/ogg; codecs=opus", "pdf": "application/pdf", "png": "image/png", "weba": "audio/webm",
        "webm": "video/webm", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
        "zip": "application/zip",
    ]
}
