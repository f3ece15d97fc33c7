import System
import Arguments
import Files
import Service
import Keeping
import Vocabulary

/// `parley check`
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "check",
        abstract: "Check the integrity of a data directory, with the server running or not.",
        discussion: """
            The database is read as a whole, every conversation is looked through for missing entries, and every file \
            has to be there with the size it had. With --store it is the database of that server, as it is at one moment, and \
            with --files the S3 store of its files. \
            Nothing is changed.
            """,
        examples: [
            .init("parley check --data /var/lib/parley", "Regularly, and before an old backup is deleted."),
            .init(
                "parley check --data /var/lib/parley --store postgresql://parley@db/parley",
                "Where the server keeps messages in PostgreSQL."),
        ],
        exitCodes: [
            .init(.success, "No damage found."), .init(.usage, "The command line is wrong."),
            .init(.noInput, "There is no data directory to check."),
            .init(.unavailable, "The database, or the store of files, does not answer."),
            .init(.failure, "Something is damaged or missing."),
        ],
        subcommands: [CheckConfigCommand.self, CheckHealthCommand.self]
    )

    @OptionGroup var source: DataOptions

    @Option(
        help: ArgumentHelp(
            "The database in which the server keeps messages and accounts, as 'parley serve --store' has it.",
            valueName: "URL"))
    var store: StoreArgument?

    @OptionGroup var fileStore: FilesOptions

    mutating func run() throws -> ExitCode {
        let directory = self.source.directory
        do {
            let check = try self.look()
            let findings = try check.findings + self.missingFiles(directory, check.contents)
            for finding in findings { print(finding) }
            let files = self.fileStore.files.map { " and \($0.address)" } ?? ""
            let place = (self.store.map { "\($0.address) and \(directory)" } ?? "\(directory)") + files
            if findings.isEmpty { print("\(place): all is well") } else { Terminal.complain(self.advice) }
            return findings.isEmpty ? .success : .failure
        } catch let error as StoreError {
            throw CommandFailure("\(error)", exitCode: error.reason == .unreachable ? .unavailable : .failure)
        } catch let error as FileTrouble {
            throw CommandFailure("\(error)")
        } catch let error as S3Inventory.Trouble {
            throw CommandFailure("\(error)", exitCode: .unavailable)
        }
    }

    private func look() throws -> StoreEngine.Check {
        guard let store = self.store else {
            return try StoreEngine.check(try self.source.database(.readingAndWriting))
        }
        return try StoreEngine.check(store.address)
    }

    private var advice: String { self.store == nil ? Self.adviceOnFile : Self.adviceOnServer }

    private static let adviceOnServer = """
        Something is damaged or missing. Stop the server, keep a dump of the database as it is, and restore the latest backup.
        """

    private static let adviceOnFile = """
        Something is damaged or missing. Stop the server, keep a copy of the data directory, and start from the latest \
        'parley backup'. Without one, 'sqlite3 parley.db .recover | sqlite3 new.db' saves what can still be read.
        """

    private func missingFiles(_ directory: DataDirectory, _ contents: [ContentHash: Int]) throws -> [String] {
        guard !contents.isEmpty else { return [] }
        if let store = self.fileStore.store { return try S3Inventory(store).findings(among: contents) }
        let folder = try FileFolder(directory.path)
        return contents.compactMap { hash, size in
            guard let found = folder.size(of: hash) else { return "\(folder.place(of: hash)) is missing" }
            return found == size ? nil : "\(folder.place(of: hash)) has \(found) bytes instead of \(size)"
        }
    }
}
