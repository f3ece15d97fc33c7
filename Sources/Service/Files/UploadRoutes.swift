internal import Bytes
internal import Files
internal import HTTPServer
internal import Hashing
internal import Reactor
internal import Keeping
internal import Vocabulary
internal import Web

/// Uploads that can be resumed: tus 1.0 with creation, expiration, checksum and termination (https://tus.io) under
/// `/v1/uploads`. When the last byte is there, the upload has become the file of the same name.
struct UploadRoutes: Sendable {
    let desk: FileService
    let home: EventLoop
    /// On the home loop: passes a request on to the node on whose disk the upload lies; false where that is gone.
    let forward: @Sendable (HTTPExchange, FileID) -> Bool

    func add(to router: inout Router) {
        router.on(.options, "/v1/uploads") { exchange, _ in self.visit(exchange).answer(self.abilities) }
        router.on(.post, "/v1/uploads") { exchange, _ in
            self.admit(exchange) { visit, user in self.create(visit, user) }
        }
        // HEAD comes here as well.
        router.on(.get, "/v1/uploads/:upload") { exchange, parameters in
            self.admit(exchange, parameters) { ResumableUpload($0, $1, $2).tell() }
        }
        router.on(.patch, "/v1/uploads/:upload") { exchange, parameters in
            self.admit(exchange, parameters) { ResumableUpload($0, $1, $2).take() }
        }
        router.on(.delete, "/v1/uploads/:upload") { exchange, parameters in
            self.admit(exchange, parameters) { ResumableUpload($0, $1, $2).giveUp() }
        }
        router.on(.post, "/v1/uploads/:upload") { exchange, parameters in
            self.admit(exchange, parameters) { visit, user, id in
                // For clients that cannot ask in other ways (tus, X-HTTP-Method-Override).
                switch visit.exchange.request.fields["X-HTTP-Method-Override"] {
                case "PATCH": ResumableUpload(visit, user, id).take()
                case "DELETE": ResumableUpload(visit, user, id).giveUp()
                default: visit.refuse(.malformed("send the next bytes with PATCH"))
                }
            }
        }
    }

    private func visit(_ exchange: HTTPExchange) -> FileVisit {
        let visit = FileVisit(exchange, self.desk)
        visit.fields = [
            (.tusResumable, "1.0.0"),
            (
                "Access-Control-Expose-Headers",
                "Location, Tus-Resumable, Tus-Version, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset"
            ),
        ]
        return visit
    }

    private var abilities: HTTPResponse {
        var response = HTTPResponse(.noContent)
        response.head.fields.set("Tus-Version", to: "1.0.0")
        response.head.fields.set("Tus-Max-Size", to: String(self.desk.settings.maximumBytes))
        response.head.fields.set("Tus-Extension", to: "creation,expiration,checksum,termination")
        response.head.fields.set("Tus-Checksum-Algorithm", to: "sha1,sha256")
        return response
    }

    private func admit(_ exchange: HTTPExchange, _ work: (FileVisit, UserID) -> Void) {
        let visit = self.visit(exchange)
        guard exchange.request.fields[.tusResumable] == "1.0.0" else {
            visit.fields.append(("Tus-Version", "1.0.0"))
            return visit.refuse(
                FileProblem(.preconditionFailed, "wrong_version", "send Tus-Resumable: 1.0.0"))
        }
        visit.admit { work(visit, $0) }
    }

    private func admit(
        _ exchange: HTTPExchange, _ parameters: PathParameters, _ work: (FileVisit, UserID, FileID) -> Void
    ) {
        if let id = parameters["upload"].flatMap({ FileID($0) }), self.isElsewhere(id, exchange) {
            guard exchange.reactor.loop === self.home else { return exchange.move(to: self.home) }
            if self.forward(exchange, id) { return }
        }
        self.admit(exchange) { visit, user in
            guard let id = parameters["upload"].flatMap({ FileID($0) }) else { return visit.refuse(.noUpload) }
            work(visit, user, id)
        }
    }

    private func isElsewhere(_ id: FileID, _ exchange: HTTPExchange) -> Bool {
        guard let node = self.desk.node, !ForwardedRequest.was(exchange.request) else { return false }
        return !id.isTagged(by: node)
    }

    private func create(_ visit: FileVisit, _ user: UserID) {
        let fields = visit.exchange.request.fields
        guard let length = fields["Upload-Length"].flatMap({ Int($0) }), length >= 0 else {
            return visit.refuse(.malformed("send Upload-Length"))
        }
        guard let metadata = UploadMetadata(fields["Upload-Metadata"] ?? "") else {
            return visit.refuse(.malformed("Upload-Metadata is not what it should be"))
        }
        self.desk.begin(length, called: metadata.label, by: user, on: visit.reactor) { result in
            visit.unless(result) { upload in ResumableUpload(visit, user, upload.id).begun(upload) }
        }
    }
}

/// What a client says of a file before it brings it: words, each with a value in Base64 behind a space.
struct UploadMetadata {
    let label: FileLabel?

    private static let maximumMetadataBytes = 4096

    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumMetadataBytes else { return nil }
        var label: FileLabel?
        for pair in text.split(separator: ",") {
            let words = pair.split(separator: " ")
            guard (1...2).contains(words.count) else { return nil }
            guard let value = try? Base64.decode(words.count == 2 ? String(words[1]) : "") else { return nil }
            if words[0] == "filename" || words[0] == "name" {
                label = FileLabel(cleaning: String(decoding: value, as: UTF8.self))
            }
        }
        self.label = label
    }
}

extension HTTPFieldName {
    static let tusResumable: HTTPFieldName = "Tus-Resumable"
    static let uploadExpires: HTTPFieldName = "Upload-Expires"
    static let uploadLength: HTTPFieldName = "Upload-Length"
    static let uploadOffset: HTTPFieldName = "Upload-Offset"
}
