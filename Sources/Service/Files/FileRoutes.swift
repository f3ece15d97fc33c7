internal import HTTPServer
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// Files that are there: `/v1/files/…`. Also the one way to bring a file in a single request, as old clients do.
struct FileRoutes: Sendable {
    let desk: FileService

    /// What is described in `openapi.json` of these and of the uploads.
    static let described: [(method: HTTPMethod, path: String)] = [
        (.post, "/v1/files"), (.get, "/v1/files/:file"), (.delete, "/v1/files/:file"),
        (.get, "/v1/files/:file/content"), (.get, "/v1/files/:file/thumbnail"), (.get, "/v1/avatars/:file"),
        (.options, "/v1/uploads"),
        (.post, "/v1/uploads"), (.head, "/v1/uploads/:upload"), (.patch, "/v1/uploads/:upload"),
        (.delete, "/v1/uploads/:upload"),
    ]

    func add(to router: inout Router) {
        router.on(.post, "/v1/files") { exchange, _ in
            let visit = FileVisit(exchange, self.desk)
            visit.admit { MultipartUpload.begin(visit, by: $0) }
        }
        router.on(.get, "/v1/files/:file") { exchange, parameters in
            let visit = FileVisit(exchange, self.desk)
            visit.admit { user in
                self.find(parameters, for: .user(user), visit) { visit.describe($0, for: user) }
            }
        }
        router.on(.delete, "/v1/files/:file") { exchange, parameters in
            let visit = FileVisit(exchange, self.desk)
            visit.admit { self.remove(parameters, $0, visit) }
        }
        self.addPictures(to: &router)
        for part in FileLinks.Part.allCases {
            // A link is for pages from wherever; who has no link shows a token, which a foreign page does not have.
            router.on(.get, "/v1/files/:file/\(part.rawValue)", foreignPages: .answered) { exchange, parameters in
                self.send(part, parameters, FileVisit(exchange, self.desk))
            }
        }
    }

    /// Beside every name there is a picture, so these are asked for by pages without a token: a client that knows the name of a
    /// file gets it, as long as a user shows it as their own.
    private func addPictures(to router: inout Router) {
        router.on(.get, "\(ProfileService.pictures):file", foreignPages: .answered) { exchange, parameters in
            let visit = FileVisit(exchange, self.desk)
            self.find(parameters, for: .onlooker, visit) { file in
                self.send(file, file.thumbnail == nil ? .content : .thumbnail, life: Self.pictureLife, visit)
            }
        }
    }

    /// Another picture has another name, but one that was taken away should not stay for long.
    private static let pictureLife: Int64 = 3600

    private func find(
        _ parameters: PathParameters, for reader: FileReader, _ visit: FileVisit,
        _ work: @escaping (FileRecord) -> Void
    ) {
        guard let id = parameters["file"].flatMap({ FileID($0) }) else { return visit.refuse(.notFound) }
        self.desk.store.send(
            FindFile(id, for: reader),
            visit.asking { file in
                guard let file else { return visit.refuse(.notFound) }
                work(file)
            })
    }

    private func remove(_ parameters: PathParameters, _ user: UserID, _ visit: FileVisit) {
        guard let id = parameters["file"].flatMap({ FileID($0) }) else { return visit.refuse(.notFound) }
        self.desk.store.send(
            RemoveFile(id, of: user),
            visit.asking { removal in
                switch removal {
                case .removed: visit.answer(HTTPResponse(.noContent))
                case .unknown: visit.refuse(.notFound)
                case .inUse: visit.refuse(.inUse)
                }
            })
    }

    // MARK: - Giving it out

    /// By a link, or by a token of a user who may see the file.
    private func send(_ part: FileLinks.Part, _ parameters: PathParameters, _ visit: FileVisit) {
        guard let query = QueryItems(visit.exchange.request.query ?? "") else { return visit.refuse(.badLink) }
        guard query["signature"] != nil else {
            return visit.admit { user in
                self.find(parameters, for: .user(user), visit) { self.send($0, part, life: 0, visit) }
            }
        }
        guard let id = parameters["file"].flatMap({ FileID($0) }),
            let (user, life) = self.desk.links.reader(of: id, part, query, at: SystemClock.now()),
            !self.desk.accounts.isBanned(user)
        else { return visit.refuse(.badLink) }
        // What was taken back meanwhile, or is said where the user is no more, is not there for them.
        self.find(parameters, for: .user(user), visit) { self.send($0, part, life: life, visit) }
    }

    func send(_ file: FileRecord, _ part: FileLinks.Part, life: Int64, _ visit: FileVisit) {
        guard part == .content || file.thumbnail != nil else { return visit.refuse(.notFound) }
        self.desk.blobs.send(Blob(file, part, life: life), to: visit.exchange) { visit.refuse($0) }
    }
}
