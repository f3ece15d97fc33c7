package import Files
internal import Identity
package import Keeping
package import PostgresLink
internal import PostgresStore
package import SQLTables
internal import SQLiteStore
internal import System
internal import Vocabulary

/// Carries what a store keeps from the file in a data directory into a PostgreSQL, or back, while no server works with either.
///
/// Nothing of the source is changed but its form, and nothing counts at the target before all of it is there and was compared: in a
/// PostgreSQL it is one transaction, in a data directory a draft that takes the database's name at the end. So a move that was
/// interrupted is simply begun again. Files, the secret and certificates lie in the data directory whichever engine keeps
/// the rest, and stay there.
package struct DataMove {
    package enum Direction: Sendable {
        case toPostgres(from: DataDirectory, PostgresAddress)
        case toDirectory(from: PostgresAddress, DataDirectory)
    }

    package enum Trouble: Error, CustomStringConvertible {
        case store(StoreError)
        case copy(StoreCopy.Trouble, target: String)
        case directory(DataDirectoryError)
        case file(FileTrouble)
        case nothing(DataDirectory)
        case occupied(DataDirectory)
        case missingFiles(DataDirectory, count: Int, of: Int)

        package var description: String {
            switch self {
            case .store(let error): "\(error)"
            case .copy(.store(let error), _): "\(error); the target is as it was"
            case .copy(let trouble, let target): "\(target): \(trouble)"
            case .directory(let error): error.description
            case .file(let trouble): "\(trouble)"
            case .nothing(let directory): "\(directory): no database is here"
            case .occupied(let directory):
                "\(directory): a database is here already; move \(DataDirectory.database) away first"
            case .missingFiles(let directory, let count, let all):
                """
                \(count) of the \(all) files that messages and people show are not in \(directory): bring the folder \
                'files' and the file '\(ServerSecret.fileName)' of the server's data directory there first, or take \
                --without-files
                """
            }
        }
    }

    package struct Report: Sendable {
        package var copy: StoreCopy.Report
        /// How many contents of files stay in the data directory.
        package var files: Int
        package var missingFiles: Int
    }

    private let direction: Direction
    private let mayLackFiles: Bool
    private let moved: (_ done: Int, _ of: Int) -> Void

    private static let draft = "\(DataDirectory.database).moving"

    package init(
        _ direction: Direction, mayLackFiles: Bool, moved: @escaping (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) {
        self.direction = direction
        self.mayLackFiles = mayLackFiles
        self.moved = moved
    }

    package func make() throws(Trouble) -> Report {
        switch self.direction {
        case .toPostgres(let directory, let address): try self.move(from: directory, to: address)
        case .toDirectory(let address, let directory): try self.move(from: address, to: directory)
        }
    }

    private func move(from directory: DataDirectory, to address: PostgresAddress) throws(Trouble) -> Report {
        guard directory.hasDatabase else { throw .nothing(directory) }
        let lock = try Self.lock(directory)
        defer { withExtendedLifetime(lock.path) {} }
        let (tables, source) = try Self.store { () throws(StoreError) in
            (try SharedSchema.tables(), try MovableFile.source(directory.path(of: DataDirectory.database)))
        }
        let files = try self.look(for: source, in: directory)
        let target = try Self.store { () throws(StoreError) in try MovableTables.target(address, tables) }
        let copy = try self.copy(tables, source, target, named: "\(address)")
        try Self.store { () throws(StoreError) in try target.finish(tables) }
        return Report(copy: copy, files: files.all, missingFiles: files.missing)
    }

    private func move(from address: PostgresAddress, to directory: DataDirectory) throws(Trouble) -> Report {
        do throws(DataDirectoryError) { try directory.create() } catch { throw .directory(error) }
        let lock = try Self.lock(directory)
        defer { withExtendedLifetime(lock.path) {} }
        guard !directory.hasDatabase else { throw .occupied(directory) }
        let (tables, source) = try Self.store { () throws(StoreError) in
            (try SharedSchema.tables(), try MovableTables.source(address))
        }
        let files = try self.look(for: source, in: directory)
        let draft = directory.path(of: Self.draft)
        Self.discard(draft)
        defer { Self.discard(draft) }
        let copy = try self.writeDraft(draft, tables, source, named: directory.path)
        do throws(FileTrouble) {
            try SmallFile.move(draft, to: directory.path(of: DataDirectory.database))
        } catch {
            throw .file(error)
        }
        return Report(copy: copy, files: files.all, missingFiles: files.missing)
    }

    /// It is closed when this comes back.
    private func writeDraft(
        _ draft: String, _ tables: [SchemaTable], _ source: any MovableDatabase, named name: String
    ) throws(Trouble) -> StoreCopy.Report {
        let target = try Self.store { () throws(StoreError) in try MovableFile.target(draft) }
        let copy = try self.copy(tables, source, target, named: name)
        try Self.store { () throws(StoreError) in try target.finish() }
        return copy
    }

    private func copy(
        _ tables: [SchemaTable], _ source: any MovableDatabase, _ target: any MovableDatabase, named name: String
    ) throws(Trouble) -> StoreCopy.Report {
        do throws(StoreCopy.Trouble) {
            return try StoreCopy(of: tables, from: source, to: target, moved: self.moved).make()
        } catch {
            throw .copy(error, target: name)
        }
    }
}

// MARK: - What lies beside it

extension DataMove {
    /// The server that goes on needs every file where its data are.
    private func look(
        for source: any MovableDatabase, in directory: DataDirectory
    ) throws(Trouble) -> (all: Int, missing: Int) {
        let contents = try Self.store { () throws(StoreError) in try StoreInvariants.contents(in: source.connection) }
        guard !contents.isEmpty else { return (0, 0) }
        let folder: FileFolder
        do throws(FileTrouble) { folder = try FileFolder(directory.path) } catch { throw .file(error) }
        let missing = contents.count { hash, size in folder.size(of: hash) != size }
        guard missing == 0 || self.mayLackFiles else {
            throw .missingFiles(directory, count: missing, of: contents.count)
        }
        return (contents.count, missing)
    }

    private static func lock(_ directory: DataDirectory) throws(Trouble) -> FileHandle {
        do throws(DataDirectoryError) { return try directory.lock() } catch { throw .directory(error) }
    }

    private static func discard(_ draft: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { FileSystem.remove(draft + suffix) }
    }

    private static func store<Value>(_ work: () throws(StoreError) -> Value) throws(Trouble) -> Value {
        do throws(StoreError) { return try work() } catch { throw .store(error) }
    }
}
