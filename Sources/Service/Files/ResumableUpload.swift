internal import Bytes
internal import Files
internal import HTTPServer
internal import Hashing
internal import Reactor
internal import Keeping
internal import Vocabulary
internal import Web

/// One request about one upload that goes on where it stopped.
final class ResumableUpload {
    private let visit: FileVisit
    private let user: UserID
    private let id: FileID
    private var desk: FileService { self.visit.desk }
    private var reactor: Reactor { self.visit.reactor }

    init(_ visit: FileVisit, _ user: UserID, _ id: FileID) {
        self.visit = visit
        self.user = user
        self.id = id
    }

    /// The upload was made a moment ago. One without a byte is whole.
    func begun(_ record: UploadRecord) {
        self.visit.fields.append((.location, "/v1/uploads/\(record.id.text)"))
        self.claim(record) { upload in self.settle(upload, record, .created) }
    }

    // MARK: - How far it is

    func tell() {
        self.find { record in
            let folder = self.desk.folder
            self.reactor.offload({ folder.length(of: record.id) }) { count in
                guard let count else { return self.visit.refuse(.lost) }
                // All was written, but the server ended before it was told: it is made a file now.
                guard count == record.length, self.desk.claim(record.id) else {
                    return self.answer(.ok, offset: count, record)
                }
                self.open(record) { upload in self.settle(upload, record, .ok) }
            }
        } whole: { file in
            self.answer(.ok, offset: file.size, length: file.size)
        }
    }

    private func find(_ work: @escaping (UploadRecord) -> Void, whole: @escaping (FileRecord) -> Void) {
        let user = self.user
        self.desk.store.send(
            FindUpload(self.id),
            self.visit.asking { record in
                guard let record else { return self.findWhole(whole) }
                guard record.owner == user else { return self.visit.refuse(.noUpload) }
                guard SystemClock.now() < record.expiry else { return self.visit.refuse(.ended) }
                work(record)
            })
    }

    private func findWhole(_ work: @escaping (FileRecord) -> Void) {
        let user = self.user
        self.desk.store.send(
            FindFile(self.id, for: .user(user)),
            self.visit.asking { file in
                guard let file, file.owner == user else { return self.visit.refuse(.noUpload) }
                work(file)
            })
    }

    // MARK: - The next bytes

    func take() {
        let fields = self.visit.exchange.request.fields
        guard fields[.contentType] == "application/offset+octet-stream" else {
            return self.visit.refuse(
                FileProblem(.unsupportedMediaType, "wrong_type", "send Content-Type: application/offset+octet-stream"))
        }
        guard let offset = fields[.uploadOffset].flatMap({ Int($0) }), offset >= 0 else {
            return self.visit.refuse(.malformed("send Upload-Offset"))
        }
        let sum: ChunkSum?
        switch ChunkSum.parse(fields["Upload-Checksum"]) {
        case .success(let parsed): sum = parsed
        case .failure(let problem): return self.visit.refuse(problem)
        }
        self.find { record in
            self.claim(record) { upload in self.take(upload, record, from: offset, sum) }
        } whole: { file in
            self.wrongOffset(file.size)
        }
    }

    private func claim(_ record: UploadRecord, _ work: @escaping (UploadFile) -> Void) {
        guard self.desk.claim(record.id) else { return self.visit.refuse(.locked) }
        self.open(record, work)
    }

    private func open(_ record: UploadRecord, _ work: @escaping (UploadFile) -> Void) {
        self.desk.open(record.id, on: self.reactor) { result in
            if case .failure(let problem) = result {
                self.desk.release(record.id)
                return self.visit.refuse(problem.status == .notFound ? .lost : problem)
            }
            self.visit.unless(result, work)
        }
    }

    private func take(_ upload: UploadFile, _ record: UploadRecord, from offset: Int, _ sum: ChunkSum?) {
        let rest = record.length - upload.count
        let length = self.visit.exchange.request.framing.length
        guard offset == upload.count, length ?? 0 <= rest, self.visit.exchange.isAlive else {
            self.desk.release(record.id)
            if offset != upload.count { return self.wrongOffset(upload.count) }
            return self.visit.refuse(.tooLarge(record.length))
        }
        if let sum { upload.beginChunk(sum.digest) }
        let sink = UploadSink(self.visit, upload) { isWhole, problem in
            self.ended(upload, record, sum, isWhole: isWhole, problem)
        }
        self.visit.exchange.streamBody(to: sink, limit: rest)
    }

    /// What came is kept also when the client went away in the middle, unless it cannot be verified.
    private func ended(
        _ upload: UploadFile, _ record: UploadRecord, _ sum: ChunkSum?, isWhole: Bool, _ problem: FileProblem?
    ) {
        guard let sum else { return self.settle(upload, record, .noContent, problem) }
        let expected = isWhole ? sum.value : nil
        self.reactor.offload({ Result { () throws(FileTrouble) in try upload.endChunk(expecting: expected) } }) {
            result in
            guard case .success(true) = result else {
                self.desk.release(record.id)
                let mismatch = HTTPStatus(code: 460, reason: "Checksum Mismatch") ?? .badRequest
                let words = "these are not the bytes you sent"
                return self.visit.refuse(problem ?? FileProblem(mismatch, "checksum_mismatch", words))
            }
            self.settle(upload, record, .noContent, problem)
        }
    }

    /// Answers when what there is, is safe; and when that is all, when it is a file. Also a `problem` is told only then: who
    /// hears of it may go on at once.
    private func settle(
        _ upload: UploadFile, _ record: UploadRecord, _ status: HTTPStatus, _ problem: FileProblem? = nil
    ) {
        let done: (Result<Void, FileProblem>) -> Void = { result in
            self.desk.release(record.id)
            if let problem { return self.visit.refuse(problem) }
            self.visit.unless(result) { self.answer(status, offset: upload.count, record) }
        }
        if upload.count == record.length {
            self.desk.finish(upload, record, on: self.reactor) { done($0.map { _ in () }) }
        } else {
            self.desk.sync(upload, on: self.reactor, done)
        }
    }

    // MARK: - The end

    func giveUp() {
        self.find { record in
            guard self.desk.claim(record.id) else { return self.visit.refuse(.locked) }
            self.desk.giveUp(record.id, of: self.user, on: self.reactor) { result in
                self.desk.release(record.id)
                self.visit.unless(result) { _ in self.visit.answer(HTTPResponse(.noContent)) }
            }
        } whole: { _ in
            self.visit.refuse(FileProblem(.conflict, "in_use", "it is a file now: DELETE /v1/files/…"))
        }
    }

    private func wrongOffset(_ offset: Int) {
        self.visit.fields.append((.uploadOffset, String(offset)))
        self.visit.refuse(FileProblem(.conflict, "wrong_offset", "the next byte is number \(offset)"))
    }

    private func answer(_ status: HTTPStatus, offset: Int, _ record: UploadRecord) {
        self.visit.fields.append((.uploadExpires, HTTPDate.format(Int(record.expiry.seconds))))
        self.answer(status, offset: offset, length: record.length)
    }

    private func answer(_ status: HTTPStatus, offset: Int, length: Int) {
        self.visit.fields += [(.uploadOffset, String(offset)), (.uploadLength, String(length))]
        self.visit.answer(HTTPResponse(status))
    }
}

/// What a client says the sum of its bytes is.
struct ChunkSum {
    let digest: Digest
    let value: [UInt8]

    static func parse(_ field: String?) -> Result<ChunkSum?, FileProblem> {
        guard let field else { return .success(nil) }
        let words = field.split(separator: " ")
        let digest: Digest? = words.first == "sha1" ? .sha1 : words.first == "sha256" ? .sha256 : nil
        guard words.count == 2, let digest, let value = try? Base64.decode(String(words[1])),
            value.count == digest.byteCount
        else { return .failure(.malformed("Upload-Checksum is sha1 or sha256, a space, and the sum in Base64")) }
        return .success(ChunkSum(digest: digest, value: value))
    }
}

/// Where the bytes of one request go.
private final class UploadSink: HTTPBodySink {
    private let visit: FileVisit
    private let writer: BodyWriter
    private let upload: UploadFile
    private var completion: ((Bool, FileProblem?) -> Void)?

    /// - Parameter completion: called once all is written; true when the body came to its end. Or with what went wrong.
    init(_ visit: FileVisit, _ upload: UploadFile, _ completion: @escaping (Bool, FileProblem?) -> Void) {
        self.visit = visit
        self.upload = upload
        self.writer = BodyWriter(visit.exchange, upload)
        self.completion = completion
        self.writer.onTrouble = { [weak self] _ in self?.end(isWhole: false) }
    }

    func bodyReceived(_ bytes: Span<UInt8>) { self.writer.write(bytes) }
    func bodyEnded() { self.end(isWhole: true) }
    func bodyFailed() { self.end(isWhole: false) }

    private func end(isWhole: Bool) {
        guard let completion = self.completion.take() else { return }
        self.writer.end { [visit] trouble in
            completion(isWhole && trouble == nil, trouble.map { visit.desk.failed($0) })
        }
    }
}
