internal import Assets
internal import Bytes
internal import HTTPServer
internal import Hashing
internal import Reactor
internal import Web

/// The page and its modules (`Assets/Web`), which every server carries with it. A page from elsewhere may load the modules,
/// when it may talk to the server at all.
struct EmbeddedPages: Sendable {
    static let files = Assets.page.map { EmbeddedFile($0.name, $0.name == "worker.js" ? worker($0.bytes) : $0.bytes) }

    /// The worker knows which files to keep, and is another as soon as one of them is: only then does a browser take the new ones.
    private static func worker(_ bytes: [UInt8]) -> [UInt8] {
        let version = Hex.encode(Digest.sha256.hash(Assets.page.flatMap(\.bytes)).prefix(12))
        let names = Assets.page.map { $0.name == "index.html" ? "./" : $0.name }.filter { $0 != "worker.js" }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        return Array("const version = '\(version)';\nconst shell = [\(list)];\n".utf8) + bytes
    }

    func add(to router: inout Router) {
        for file in Self.files {
            let path = file.name == "index.html" ? "/" : "/\(file.name)"
            router.on(.get, path, foreignPages: .answered) { exchange, _ in
                exchange.respond(file.response(to: exchange.request))
            }
        }
    }
}

/// One file of them, ready to be sent as it is and as gzip.
final class EmbeddedFile: Sendable {
    let name: String
    private let type: MediaType
    private let plain: Form
    private let packed: Form

    private struct Form {
        let bytes: SharedBytes
        let tag: EntityTag?

        init(_ bytes: [UInt8], _ version: String) {
            self.bytes = SharedBytes(bytes)
            self.tag = EntityTag(version)
        }
    }

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.type = MediaType(fileName: name)
        let version = Hex.encode(Digest.sha256.hash(bytes).prefix(12))
        self.plain = Form(bytes, version)
        self.packed = Form(GzipEncoder.compress(bytes), version + "-gz")
    }

    func response(to request: HTTPRequestHead) -> HTTPResponse {
        let isPacked = ContentCoding.acceptsGzip(request.fields)
        let form = isPacked ? self.packed : self.plain
        var head = HTTPResponseHead(.ok, fields: Self.guards)
        head.fields.set(.contentType, to: self.type.text)
        if let tag = form.tag { head.fields.set(.eTag, to: tag.description) }
        switch HTTPPreconditions(request).verdict(tag: form.tag, modified: nil) {
        case .failed: return .error(.preconditionFailed, "the file has changed")
        case .notModified:
            head.status = .notModified
            return HTTPResponse(head)
        case .proceed: break
        }
        if isPacked { head.fields.set(.contentEncoding, to: "gzip") }
        return HTTPResponse(head, body: .shared(form.bytes))
    }

    /// The page loads nothing from elsewhere, sits in no frame, and is the only one that may use the devices.
    private static let guards: HTTPFields = [
        .cacheControl: "no-cache", .vary: "Accept-Encoding", .contentTypeOptions: "nosniff",
        "Content-Security-Policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
            + "media-src 'self' blob:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types parley-shell",
        "Permissions-Policy": "camera=(self), microphone=(self)",
        "Referrer-Policy": "no-referrer",
    ]
}
