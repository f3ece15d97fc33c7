internal import Files
internal import HTTPServer
internal import Reactor
internal import Keeping
internal import Vocabulary
internal import Web

/// A file that comes in one request, among the fields of a form. The first part with a file name is taken; what else there
/// is in the form means nothing.
final class MultipartUpload: HTTPBodySink {
    private let visit: FileVisit
    private let record: UploadRecord
    private let upload: UploadFile
    private let stay: FileStay
    private let writer: BodyWriter
    private let completion: (Result<FileRecord, FileProblem>) -> Void
    private var reader: MultipartReader
    private var part = Part.none
    private var label: FileLabel?
    private var problem: FileProblem?
    private var isOver = false

    private enum Part {
        /// No file came yet, and this is none.
        case none
        case file
        /// The file is complete.
        case past
    }

    private init(
        _ visit: FileVisit, _ reader: MultipartReader, _ record: UploadRecord, _ upload: UploadFile,
        _ stay: FileStay, _ completion: @escaping (Result<FileRecord, FileProblem>) -> Void
    ) {
        self.visit = visit
        self.reader = reader
        self.record = record
        self.upload = upload
        self.stay = stay
        self.writer = BodyWriter(visit.exchange, upload)
        self.completion = completion
        self.writer.onTrouble = { [weak self] in self?.fail(visit.desk.failed($0)) }
    }

    static func begin(_ visit: FileVisit, by owner: UserID) {
        self.begin(visit, by: owner) { visit.unless($0) { visit.describe($0, .created, for: owner) } }
    }

    /// - Parameter completion: is told what came of it, if the client is still there.
    static func begin(
        _ visit: FileVisit, by owner: UserID, within allowance: FileAllowance? = nil, stay: FileStay = .usual,
        atMost limit: Int = .max, _ completion: @escaping (Result<FileRecord, FileProblem>) -> Void
    ) {
        let request = visit.exchange.request
        guard let reader = try? MultipartReader(contentType: request.fields[.contentType] ?? "") else {
            return completion(.failure(FileProblem(.unsupportedMediaType, "wrong_type", "send multipart/form-data")))
        }
        guard let length = request.framing.length else { return completion(.failure(.lengthMissing)) }
        guard length <= limit else { return completion(.failure(.tooLarge(limit))) }
        let desk = visit.desk
        desk.begin(length, called: nil, by: owner, within: allowance, on: visit.reactor) { result in
            let record: UploadRecord
            switch result {
            case .success(let begun): record = begun
            case .failure(let problem): return completion(.failure(problem))
            }
            desk.open(record.id, on: visit.reactor) { result in
                guard case .success(let upload) = result, visit.exchange.isAlive else {
                    desk.giveUp(record.id, of: owner, on: visit.reactor) { _ in }
                    return completion(.failure(.unavailable))
                }
                let sink = MultipartUpload(visit, reader, record, upload, stay, completion)
                visit.exchange.streamBody(to: sink, limit: length)
            }
        }
    }

    // MARK: - The body

    func bodyReceived(_ bytes: Span<UInt8>) {
        guard self.problem == nil else { return }
        do throws(MultipartReader.Failure) {
            for event in try self.reader.read(bytes) { self.take(event) }
        } catch {
            self.fail(.malformed("the form is malformed"))
        }
    }

    private func take(_ event: MultipartReader.Event) {
        switch (event, self.part) {
        case (.part(let disposition), .none):
            guard let name = ContentDisposition.parameter("filename", of: disposition) else { return }
            self.label = FileLabel(cleaning: name)
            self.part = .file
        case (.content(let bytes), .file): self.writer.write(bytes.span)
        case (.partEnded, .file): self.part = .past
        case (.part, _), (.content, _), (.partEnded, _), (.ended, _): break
        }
    }

    func bodyEnded() {
        let isWhole = (try? self.reader.finish()) != nil && self.part == .past
        guard self.problem == nil, isWhole else { return self.fail(.malformed("the form has no whole file in it")) }
        self.writer.end { trouble in
            if let trouble { return self.fail(self.visit.desk.failed(trouble)) }
            self.finish()
        }
    }

    private func finish() {
        let record = UploadRecord(
            self.record.id, of: self.record.owner, length: self.upload.count, label: self.label,
            expiry: self.record.expiry)
        self.visit.desk.finish(self.upload, record, stay: self.stay, on: self.visit.reactor) { result in
            if case .failure(let problem) = result { return self.fail(problem) }
            self.isOver = true
            self.completion(result)
        }
    }

    func bodyFailed() { self.fail(.malformed("the form ended in the middle")) }

    /// Nothing of it stays.
    private func fail(_ problem: FileProblem) {
        guard self.problem == nil, !self.isOver else { return }
        self.problem = problem
        self.writer.end { _ in
            self.visit.desk.giveUp(self.record.id, of: self.record.owner, on: self.visit.reactor) { _ in }
        }
        self.completion(.failure(problem))
    }
}
