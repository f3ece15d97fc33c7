internal import Assets
internal import Bytes
internal import HTTPServer
internal import Hashing
internal import Reactor
internal import Synchronization
internal import Web

/// The page and its modules (`Assets/Web`), which every server carries with it. A page from elsewhere may load the modules,
/// when it may talk to the server at all.
struct EmbeddedPages: Sendable {
    /// Where pictures and sounds may come from besides this server.
    let fileOrigin: String?

    static let files = worker(after: Assets.page.map { EmbeddedFile($0.name, $0.bytes) })

    /// The worker knows which files to keep, and is another as soon as one of them is: only then does a browser take the new ones.
    private static func worker(after files: [EmbeddedFile]) -> [EmbeddedFile] {
        let version = Hex.encode(Digest.sha256.hash(files.flatMap { Array($0.version.utf8) }).prefix(12))
        let names = files.map { $0.name == "index.html" ? "./" : $0.name }.filter { $0 != "worker.js" }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let head = Array("const version = '\(version)';\nconst shell = [\(list)];\n".utf8)
        let bytes = Assets.page.first { $0.name == "worker.js" }?.bytes ?? []
        return files.map { $0.name == "worker.js" ? EmbeddedFile($0.name, head + bytes) : $0 }
    }

    func add(to router: inout Router) {
        for file in Self.files {
            let path = file.name == "index.html" ? "/" : "/\(file.name)"
            router.on(.get, path, foreignPages: .answered) { exchange, _ in
                exchange.respond(file.response(to: exchange.request, filesFrom: self.fileOrigin))
            }
        }
    }
}

/// One of the files, sent as it is or as gzip. It is compressed when a client asks for gzip for the first time: the first client of a
/// server does not wait until all of them are.
final class EmbeddedFile: Sendable {
    let name: String
    /// Another as soon as a byte of the file is.
    let version: String
    private let plain: Form
    private let compressed = Mutex<Form?>(nil)

    private struct Form {
        let bytes: SharedBytes
        let tag: EntityTag?
        /// What an answer says with it, made once.
        let fields: HTTPFields

        init(_ bytes: [UInt8], _ name: String, _ version: String) {
            self.bytes = SharedBytes(bytes)
            let tag = EntityTag(version)
            var fields = EmbeddedFile.fields(of: name)
            fields.set(.contentType, to: MediaType(fileName: name).text)
            if let tag { fields.set(.eTag, to: tag.description) }
            (self.tag, self.fields) = (tag, fields)
        }
    }

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.version = Hex.encode(Digest.sha256.hash(bytes).prefix(12))
        self.plain = Form(bytes, name, self.version)
    }

    private func compressedForm() -> Form {
        self.compressed.withLock { known in
            if let known { return known }
            let bytes = self.plain.bytes
            let form = Form(GzipEncoder.compress([UInt8](copying: bytes.span)), self.name, self.version + "-gz")
            known = form
            return form
        }
    }

    /// - Parameter origin: where pictures and sounds may come from besides this server.
    func response(to request: HTTPRequestHead, filesFrom origin: String? = nil) -> HTTPResponse {
        let isCompressed = ContentCoding.acceptsGzip(request.fields)
        let form = isCompressed ? self.compressedForm() : self.plain
        var head = HTTPResponseHead(.ok, fields: form.fields)
        if let origin, head.fields.contains("Content-Security-Policy") {
            head.fields.set("Content-Security-Policy", to: Self.policy(filesFrom: " \(origin)"))
        }
        switch HTTPPreconditions(request).verdict(tag: form.tag, modified: nil) {
        case .failed: return .error(.preconditionFailed, "the file has changed")
        case .notModified:
            head.status = .notModified
            return HTTPResponse(head)
        case .proceed: break
        }
        if isCompressed { head.fields.set(.contentEncoding, to: "gzip") }
        return HTTPResponse(head, body: .shared(form.bytes))
    }

    /// What every file says of itself.
    private static let ownFields: HTTPFields = [.cacheControl: "no-cache", .vary: "Accept-Encoding"]

    /// The page loads nothing from elsewhere, sits in no frame, and is the only one that may use the devices. Browsers hold documents
    /// and workers to it; modules and styles live by what their document says, and sixty times the same words are a third of the page.
    private static let guards: [(name: HTTPFieldName, value: String)] = [
        (
            "Content-Security-Policy", EmbeddedFile.policy(filesFrom: "")
        ),
        ("Permissions-Policy", EmbeddedFile.permissions),
        ("Referrer-Policy", "no-referrer"),
    ]

    /// - Parameter more: behind a blank, where pictures and sounds may come from as well.
    private static func policy(filesFrom more: String) -> String {
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:\(more); "
            + "media-src 'self' blob:\(more); manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types parley-shell"
    }

    /// What the page uses it may use itself; what it does not use nobody may, not even a script that does not belong there.
    private static let permissions =
        [
            "camera", "microphone", "display-capture", "geolocation", "fullscreen", "picture-in-picture", "autoplay",
            "speaker-selection", "clipboard-write",
        ].map { "\($0)=(self), " }.joined()
        + [
            "accelerometer", "bluetooth", "browsing-topics", "clipboard-read", "encrypted-media", "gamepad",
            "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer", "midi", "payment",
            "publickey-credentials-get", "screen-wake-lock", "serial", "usb", "web-share", "xr-spatial-tracking",
        ].map { "\($0)=()" }.joined(separator: ", ")

    private static func fields(of name: String) -> HTTPFields {
        var fields = Self.ownFields
        guard name.hasSuffix(".html") || name.hasSuffix(".svg") || name == "worker.js" else { return fields }
        for guarding in Self.guards { fields.set(guarding.name, to: guarding.value) }
        return fields
    }
}
