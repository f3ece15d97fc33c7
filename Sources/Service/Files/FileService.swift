internal import FileTypes
internal import Files
internal import HTTPServer
internal import Hashing
internal import Identity
internal import Journal
internal import System
internal import Operations
internal import Pacing
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// Takes files in and gives them out: where the bytes are and the store with the words about them, brought
/// together. Every loop uses it.
final class FileService: Sendable {
    let accounts: Accounts
    let store: any Store
    /// For uploads that are under way.
    let folder: FileFolder
    /// For all that is whole.
    let blobs: any BlobStore
    let links: FileLinks
    let settings: FileSettings
    let journal: Journal
    private let finishing: Workbench
    private let drawing: Workbench
    private let thumbnailer = Thumbnailer()
    private let measurer: SoundMeasurer?
    private let busy = Locked<Set<FileID>>([])
    private let allowance: Locked<APIAllowance>

    /// Pictures of one user that wait to be drawn small, and recordings to be measured; what is more is kept without.
    private static let maximumDrawings = 8
    /// An upload is answered after so long, whether its preview is made by then or comes later.
    private static let previewTimeout = Duration.milliseconds(500)

    typealias Completion<Value> = (Result<Value, FileProblem>) -> Void

    /// Whose disk the uploads lie on; nil where there are no other nodes.
    let node: RandomToken?

    /// - Parameters:
    ///   - makeBlobs: is given the folder of uploads, and a thread for what waits for disks.
    init(
        _ accounts: Accounts, _ store: any Store, in path: String, linkKey: [UInt8], _ settings: FileSettings,
        requests: TokenBucket.Rate, as node: RandomToken?, _ journal: Journal,
        makeBlobs: (FileFolder, Workbench) -> any BlobStore
    ) throws(FileTrouble) {
        self.accounts = accounts
        self.node = node
        self.store = store
        self.folder = try FileFolder(path)
        self.links = FileLinks(key: linkKey, life: settings.linkLife)
        self.settings = settings
        self.measurer = settings.measurer.flatMap { SoundMeasurer(program: $0) }
        self.journal = journal
        self.finishing = try Workbench()
        self.blobs = makeBlobs(self.folder, self.finishing)
        self.drawing = try Workbench(limit: 100, ofUser: Self.maximumDrawings)
        self.allowance = Locked(APIAllowance(requests))
        if self.thumbnailer == nil {
            journal.info(.noThumbnails, "pictures get no thumbnails: vipsthumbnail is not installed")
        }
    }

    /// A client that asks too much over HTTP waits; the fields say how much is left.
    func count(_ user: UserID, at now: Instant) throws(RequestError) -> [(HTTPFieldName, String)] {
        let (wait, fields) = self.allowance.withLock { allowance in
            let (left, wait) = allowance.take(user, at: now)
            return (wait, allowance.fields(left: left))
        }
        if let wait {
            throw RequestError(.rateLimited, "too many requests at once", retryAfter: wait)
        }
        return fields
    }

    /// An upload is written by one request at a time. False when another one has it.
    func claim(_ id: FileID) -> Bool { self.busy.withLock { $0.insert(id).inserted } }

    func release(_ id: FileID) { _ = self.busy.withLock { $0.remove(id) } }
}

// MARK: - Bringing a file

extension FileService {
    /// A client wants to upload so many bytes.
    /// - Parameter allowance: what this owner may keep; nil for what every user may.
    func begin(
        _ length: Int, called label: FileLabel?, by owner: UserID, within allowance: FileAllowance? = nil,
        on reactor: Reactor, _ completion: @escaping Completion<UploadRecord>
    ) {
        guard length <= self.settings.maximumBytes else {
            return completion(.failure(.tooLarge(self.settings.maximumBytes)))
        }
        guard self.folder.hasRoom(for: length) else { return completion(.failure(.noRoom)) }
        var random = SecureRandom()
        let upload = UploadRecord(
            .drawn(taggedBy: self.node, using: &random), of: owner, length: length, label: label,
            expiry: SystemClock.now() + self.settings.uploadLife)
        let allowance = allowance ?? self.settings.allowance
        self.store.send(
            BeginUpload(upload, allowance),
            reactor.returning { result in
                switch result {
                case .failure(let error): completion(.failure(self.failed(error)))
                case .success(.overQuota(let used)):
                    completion(.failure(.overQuota(used: used, of: allowance.bytes)))
                case .success(.tooMany): completion(.failure(.tooManyUploads(allowance.uploads)))
                case .success(.tooManyFiles): completion(.failure(.tooManyFiles(allowance.files)))
                case .success(.begun): self.findRoom(for: upload, on: reactor, completion)
                }
            })
    }

    /// What is promised to all who bring something has to fit, not only this.
    private func findRoom(
        for upload: UploadRecord, on reactor: Reactor, _ completion: @escaping Completion<UploadRecord>
    ) {
        self.store.send(
            ListUploads(),
            reactor.returning { result in
                switch result {
                case .success(let uploads): self.makeFile(upload, among: uploads, on: reactor, completion)
                case .failure(let error):
                    self.giveUp(upload.id, of: upload.owner, on: reactor) { _ in }
                    completion(.failure(self.failed(error)))
                }
            })
    }

    private func makeFile(
        _ upload: UploadRecord, among uploads: [FileID: Int], on reactor: Reactor,
        _ completion: @escaping Completion<UploadRecord>
    ) {
        let folder = self.folder
        let make = { @Sendable () throws(FileTrouble) in
            guard folder.hasRoom(forRestOf: uploads) else { throw FileTrouble(.full, "uploads") }
            _ = try folder.begin(upload.id)
        }
        reactor.offload({ FileTrouble.of(make) }) { trouble in
            if let trouble {
                self.giveUp(upload.id, of: upload.owner, on: reactor) { _ in }
                return completion(.failure(self.failed(trouble)))
            }
            completion(.success(upload))
        }
    }

    /// Goes on with an upload that is claimed.
    func open(_ id: FileID, on reactor: Reactor, _ completion: @escaping Completion<UploadFile>) {
        let folder = self.folder
        reactor.offload({
            Result { () throws(FileTrouble) in try folder.open(id) }
        }) { result in
            completion(result.mapError { self.failed($0) })
        }
    }

    /// True when there was such an upload of theirs.
    func giveUp(_ id: FileID, of owner: UserID, on reactor: Reactor, _ completion: @escaping Completion<Bool>) {
        let folder = self.folder
        self.store.send(
            AbandonUpload(id, of: owner),
            reactor.returning { result in
                guard case .success(true) = result else { return completion(result.mapError { self.failed($0) }) }
                reactor.offload({ folder.removeUpload(id) }) { completion(.success(true)) }
            })
    }

    /// What was written so far outlives a loss of power when this comes back.
    func sync(_ upload: UploadFile, on reactor: Reactor, _ completion: @escaping Completion<Void>) {
        let back = reactor.returning { (trouble: FileTrouble?) in
            completion(trouble.map { .failure(self.failed($0)) } ?? .success(()))
        }
        let isTaken = self.finishing.post { back(FileTrouble.of { () throws(FileTrouble) in try upload.sync() }) }
        if !isTaken { completion(.failure(.unavailable)) }
    }
}

// MARK: - A file is whole

extension FileService {
    /// Gives it its place, draws or measures it, and has the store know of it.
    func finish(
        _ upload: UploadFile, _ record: UploadRecord, stay: FileStay = .usual, on reactor: Reactor,
        _ completion: @escaping Completion<FileRecord>
    ) {
        // It may have begun before the ban.
        guard !self.accounts.isBanned(record.owner) else { return completion(.failure(.banned)) }
        self.blobs.keep(upload, on: reactor) { result in
            switch result {
            case .failure(let trouble): completion(.failure(self.failed(trouble)))
            case .success(let kept): self.preview(kept, record, stay, on: reactor, completion)
            }
        }
    }

    private func preview(
        _ kept: KeptFile, _ record: UploadRecord, _ stay: FileStay, on reactor: Reactor,
        _ completion: @escaping Completion<FileRecord>
    ) {
        var file = FileRecord(
            record.id, of: record.owner, kept.hash, size: kept.size, type: kept.type, label: record.label,
            created: SystemClock.now())
        file.picture = kept.picture
        file.stay = stay
        let whole = file
        guard let make = self.making(of: kept, from: file.id) else { return self.add(file, on: reactor, completion) }
        var isAnswered = false
        let timer = reactor.schedule(after: Self.previewTimeout) {
            isAnswered = true
            self.add(whole, on: reactor, completion)
        }
        let back = reactor.returning { (preview: FilePreview?) in
            if isAnswered { return self.addLate(preview, of: whole) }
            reactor.cancel(timer)
            var file = whole
            file.add(preview)
            self.add(file, on: reactor, completion)
        }
        guard !self.drawing.post(from: file.owner, { back(make()) }) else { return }
        reactor.cancel(timer)
        self.add(file, on: reactor, completion)
    }

    /// What blocks until a preview is made; nil for a file that gets none. Comes to nil where none was needed, or none could be made.
    private func making(of kept: KeptFile, from upload: FileID) -> (@Sendable () -> FilePreview?)? {
        if let thumbnailer = self.thumbnailer, kept.picture != nil {
            return { self.drawn(kept, upload, thumbnailer) }
        }
        guard let measurer = self.measurer, SoundMeasurer.measures(kept) else { return nil }
        return { self.measured(kept, upload, measurer) }
    }

    private func drawn(_ kept: KeptFile, _ upload: FileID, _ thumbnailer: Thumbnailer) -> FilePreview? {
        do throws(Thumbnailer.Failure) {
            return .thumbnail(try thumbnailer.make(of: kept, from: upload, in: self.blobs))
        } catch .smallEnough {
            return nil
        } catch {
            self.journal.info(.noThumbnail, "a picture got no thumbnail", [.reason: .plain("\(error)")])
            return nil
        }
    }

    private func measured(_ kept: KeptFile, _ upload: FileID, _ measurer: SoundMeasurer) -> FilePreview? {
        do throws(SoundMeasurer.Failure) {
            return .outline(try measurer.measure(kept, from: upload, in: self.blobs))
        } catch {
            self.journal.info(.notMeasured, "a recording was not measured", [.reason: .plain("\(error)")])
            return nil
        }
    }

    private func addLate(_ preview: FilePreview?, of file: FileRecord) {
        guard let preview else { return }
        self.store.send(AddPreview(preview, of: file.id, by: file.owner)) { result in
            if case .failure(let error) = result { _ = self.failed(error) }
        }
    }

    private func add(_ file: FileRecord, on reactor: Reactor, _ completion: @escaping Completion<FileRecord>) {
        let (blobs, finishing) = (self.blobs, self.finishing)
        self.store.send(
            AddFile(file),
            reactor.returning { result in
                // When the store did not take it the upload stays, and can be finished once more.
                let isKept = (try? result.get()) != nil
                let settle: Workbench.Job = { blobs.settled(file.hash, isKept ? file.id : nil) }
                if !finishing.post(settle) { settle() }
                completion(result.map { file }.mapError { self.failed($0) })
            })
    }

    /// Whether pictures can be decoded at all.
    var canDraw: Bool { self.thumbnailer != nil }

    /// The picture drawn anew, no larger than a thumbnail: of the bytes that came, none is in it. Nil when it is no picture.
    func redraw(_ file: FileRecord, on reactor: Reactor, _ completion: @escaping ([UInt8]?) -> Void) {
        guard let thumbnailer = self.thumbnailer else { return completion(nil) }
        let blobs = self.blobs
        let kept = KeptFile(hash: file.hash, size: file.size, type: file.type, picture: file.picture)
        let back = reactor.returning(completion)
        if !self.drawing.post(from: file.owner, { back(try? thumbnailer.redraw(kept, in: blobs)) }) { completion(nil) }
    }

    /// A file that is in memory already, as old clients send it.
    func take(
        _ bytes: [UInt8], called label: FileLabel?, by owner: UserID, within allowance: FileAllowance? = nil,
        stay: FileStay, on reactor: Reactor, _ completion: @escaping Completion<FileRecord>
    ) {
        self.begin(bytes.count, called: label, by: owner, within: allowance, on: reactor) { result in
            let record: UploadRecord
            switch result {
            case .success(let begun): record = begun
            case .failure(let problem): return completion(.failure(problem))
            }
            self.open(record.id, on: reactor) { result in
                guard case .success(let upload) = result else { return completion(.failure(.unavailable)) }
                reactor.offload({ FileTrouble.of { () throws(FileTrouble) in try upload.append(bytes) } }) { trouble in
                    if let trouble {
                        self.giveUp(record.id, of: owner, on: reactor) { _ in }
                        return completion(.failure(self.failed(trouble)))
                    }
                    self.finish(upload, record, stay: stay, on: reactor, completion)
                }
            }
        }
    }

    func failed(_ trouble: FileTrouble) -> FileProblem {
        self.journal.error(.fileNotKept, "a file could not be kept", [.error: .plain("\(trouble)")])
        return FileProblem(trouble)
    }

    func failed(_ error: StoreError) -> FileProblem {
        self.journal.error(.fileNotKept, "the store did not do its work", [.error: .error(error)])
        return FileProblem(error)
    }
}

extension LogName {
    static let noThumbnails = LogName("files.no_thumbnails")
    static let noThumbnail = LogName("file.no_thumbnail")
    static let notMeasured = LogName("file.not_measured")
    static let fileNotKept = LogName("file.not_kept")
}
