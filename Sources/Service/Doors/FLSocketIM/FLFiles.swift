internal import Bytes
internal import FileTypes
internal import HTTPServer
internal import Hashing
internal import JSON
internal import System
internal import Pacing
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// Where apps fetch files, without a token, and where they bring a picture of themselves before they have one.
struct FLFiles: Sendable {
    let desk: FileService
    let strangers: Locked<StrangerBook>

    func add(to router: inout Router) {
        for folder in ["images/chatImages", "images/mapImages", "audios", "images"] {
            router.on(.get, "/\(folder)/:name", foreignPages: .answered) { exchange, parameters in
                self.send(parameters["name"] ?? "", FileVisit(exchange, self.desk))
            }
        }
        router.on(.post, "/uploadFiles") { exchange, _ in self.take(FileVisit(exchange, self.desk)) }
    }

    private func send(_ name: String, _ visit: FileVisit) {
        guard let (id, isSmall) = FLPaths.file(named: name) else { return visit.refuse(.notFound) }
        self.desk.store.send(
            FindFile(id, for: .anybody),
            visit.asking { file in
                guard let file else { return visit.refuse(.notFound) }
                FileRoutes(desk: self.desk).send(file, isSmall ? .thumbnail : .content, life: 3600, visit)
            })
    }

    private func take(_ visit: FileVisit) {
        let now = Instant(milliseconds: Int64(clamping: visit.reactor.now))
        let client = visit.exchange.client
        guard self.strangers.withLock({ $0.lets(client, at: now) }), let owner = StrangerBook.owner(at: client) else {
            return self.answer(visit, nil)
        }
        let maximumBytes = self.desk.canDraw ? StrangerBook.maximumBytes : StrangerBook.maximumBytesAsTheyAre
        MultipartUpload.begin(
            visit, by: owner, within: StrangerBook.allowance, stay: .open, atMost: maximumBytes
        ) { result in
            guard case .success(let file) = result else { return self.answer(visit, nil) }
            self.replace(file, visit)
        }
    }

    /// What a stranger brought is not given out as it came: anything may stand behind the header of a picture.
    private func replace(_ file: FileRecord, _ visit: FileVisit) {
        guard self.desk.canDraw, file.picture != nil else {
            return self.answer(visit, file.picture == nil ? nil : file)
        }
        self.desk.redraw(file, on: visit.reactor) { bytes in
            self.desk.store.send(RemoveFile(file.id, of: file.owner)) { _ in }
            guard let bytes else { return self.answer(visit, nil) }
            self.desk.take(
                bytes, called: nil, by: file.owner, within: StrangerBook.allowance, stay: .open, on: visit.reactor
            ) { self.answer(visit, try? $0.get()) }
        }
    }

    private func answer(_ visit: FileVisit, _ file: FileRecord?) {
        let path = file.map { FLPaths($0, for: "").file }
        let json = JSONWriter.object { json in
            json.members([("message", path == nil ? "上传文件失败" : "上传文件成功"), ("data", path ?? "")])
            json.field("code", path == nil ? -1 : 1)
        }
        visit.answer(.json(.ok, json))
    }
}

/// What people without an account may bring: pictures of themselves, twenty at once and then one in ten seconds from one
/// client prefix, as much as fits into what one site may keep, and for a day unless somebody registers with them.
struct StrangerBook {
    private var arrivals: SessionAdmission

    static let maximumBytes = 5 << 20
    /// Where pictures cannot be drawn anew.
    static let maximumBytesAsTheyAre = 512 << 10
    /// Of one site; what is on its way counts as well.
    static let allowance = FileAllowance(bytes: 64 << 20, uploads: 8)
    /// How the names of those begin in whose names the pictures are kept.
    static let ownerPrefix = "flsocketim.stranger:"

    init() {
        var limits = SessionAdmission.Limits()
        limits.rate = TokenBucket.Rate(perSecond: 0.1, burst: 20)
        limits.countsThisMachine = true
        self.arrivals = SessionAdmission(limits)
    }

    mutating func lets(_ address: IPAddress, at now: Instant) -> Bool {
        guard (try? self.arrivals.arrived(from: address, at: now)) != nil else { return false }
        self.arrivals.left(address)
        return true
    }

    static func owner(at address: IPAddress) -> UserID? {
        let site = Digest.sha256.hash(address.sitePrefix.description).prefix(16)
        return UserID(Self.ownerPrefix + Hex.encode(site))
    }
}
