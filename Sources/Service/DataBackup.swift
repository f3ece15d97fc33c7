internal import System
package import Files
internal import Hashing
internal import Identity
package import Keeping
internal import Vocabulary

/// A copy of everything that is kept, made while a server runs: a data directory from which another server can start.
///
/// The database is copied as it was at one moment, then the files it names, and only when all of it is there does the
/// new database take its place. Files lie under the hash of what is in them, so a folder that has an older copy gets
/// only what it lacks, and stays whole when something goes wrong on the way.
package struct DataBackup {
    package enum Trouble: Error, CustomStringConvertible {
        case store(StoreError)
        case file(FileTrouble)
        /// The files lie in a store that does not answer, or lacks some.
        case files(String)
        case directory(DataDirectoryError)
        /// A server works with the folder.
        case inUse(String)
        /// Nothing of others is mixed with a copy, or replaced by it.
        case foreign(String)

        package var description: String {
            switch self {
            case .store(let error): "\(error)"
            case .file(let trouble): "\(trouble)"
            case .files(let problem): problem
            case .directory(let error): error.description
            case .inUse(let path): "\(path): a server works here, or was not ended well"
            case .foreign(let path): "\(path): other things lie here; name an empty folder or an earlier backup"
            }
        }
    }

    package struct Report: Hashable, Sendable {
        package var files = 0
        package var bytes = 0
    }

    private let source: DataDirectory
    private let target: DataDirectory
    /// Nil where files lie in the data directory.
    private let fileStore: S3Settings?

    private static let smallFiles = [
        ServerSecret.fileName, DataDirectory.iceServers, SelfSignedCertificate.fileName, ACMEFiles.account,
        ACMEFiles.certificate,
    ]
    private static let draft = "\(DataDirectory.database).new"
    /// What is thrown away while it is copied is not in the next copy of the database.
    private static let attempts = 5

    package init(of source: DataDirectory, to target: DataDirectory, filesIn fileStore: S3Settings? = nil) {
        self.source = source
        self.target = target
        self.fileStore = fileStore
    }

    package func make() throws(Trouble) -> Report {
        try self.prepare()
        defer { self.discardDraft() }
        let folders = (try self.folder(self.source), try self.folder(self.target))
        for attempt in 1...Self.attempts {
            try self.copyDatabase()
            let contents = try Self.store { () throws(StoreError) in
                try StoreEngine.contents(in: self.target.path(of: Self.draft))
            }
            guard let gone = try self.copy(contents, from: folders.0, to: folders.1) else {
                try self.finish(contents, folders.1)
                return Report(files: contents.count, bytes: contents.values.reduce(0, +))
            }
            guard attempt < Self.attempts else { throw .file(gone) }
        }
        preconditionFailure("the last attempt has thrown")
    }

    /// Another one's database beside us would be mixed with what its server has not yet written into it.
    private func prepare() throws(Trouble) {
        if self.holdsOtherThings { throw .foreign(self.target.path) }
        do throws(DataDirectoryError) { try self.target.create() } catch { throw .directory(error) }
        let log = self.target.path(of: "\(DataDirectory.database)-wal")
        if FileSystem.exists(log) { throw .inUse(self.target.path) }
    }

    private var holdsOtherThings: Bool {
        let names = Set(FileSystem.names(in: self.target.path) ?? []).subtracting([".", ".."])
        return !names.isEmpty && names.isDisjoint(with: [DataDirectory.database, Self.draft])
    }

    private func folder(_ directory: DataDirectory) throws(Trouble) -> FileFolder {
        try Self.files { () throws(FileTrouble) in try FileFolder(directory.path) }
    }

    private func discardDraft() {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            FileSystem.remove(self.target.path(of: Self.draft) + suffix)
        }
    }

    private func copyDatabase() throws(Trouble) {
        self.discardDraft()
        let (source, draft) = (self.source.path(of: DataDirectory.database), self.target.path(of: Self.draft))
        try Self.store { () throws(StoreError) in try StoreEngine.backUp(source, to: draft) }
    }

    /// Which one is missing, if any.
    private func copy(
        _ contents: [ContentHash: Int], from source: FileFolder, to target: FileFolder
    ) throws(Trouble) -> FileTrouble? {
        if let fileStore { return try Self.look(in: fileStore, for: contents) }
        var random = SecureRandom()
        for (hash, size) in contents {
            let draft = FileID.drawn(using: &random)
            let isThere = try Self.files { () throws(FileTrouble) in
                try target.take(hash, size: size, from: source, as: draft)
            }
            guard isThere else { return FileTrouble(.missing, source.place(of: hash)) }
        }
        return nil
    }

    /// Files that stay where they are have to be there.
    private static func look(
        in store: S3Settings, for contents: [ContentHash: Int]
    ) throws(Trouble) -> FileTrouble? {
        do throws(S3Inventory.Trouble) {
            return try S3Inventory(store).findings(among: contents).first.map { FileTrouble(.missing, $0) }
        } catch {
            throw .files("\(error)")
        }
    }

    /// The new database takes its place, and what only the old one named goes.
    private func finish(_ contents: [ContentHash: Int], _ folder: FileFolder) throws(Trouble) {
        for name in Self.smallFiles {
            _ = try Self.files { () throws(FileTrouble) in
                try SmallFile.copy(self.source.path(of: name), to: self.target.path(of: name))
            }
        }
        let place = self.target.path(of: DataDirectory.database)
        try Self.files { () throws(FileTrouble) in
            try SmallFile.move(self.target.path(of: Self.draft), to: place)
        }
        for number in 0..<FileFolder.folders {
            _ = folder.remove(folder.contents(ofFolder: number).filter { contents[$0] == nil })
        }
    }

    private static func store<Value>(_ work: () throws(StoreError) -> Value) throws(Trouble) -> Value {
        do throws(StoreError) { return try work() } catch { throw .store(error) }
    }

    private static func files<Value>(_ work: () throws(FileTrouble) -> Value) throws(Trouble) -> Value {
        do throws(FileTrouble) { return try work() } catch { throw .file(error) }
    }
}
