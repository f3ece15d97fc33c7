import Arguments
import Service

/// `parley backup`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "backup",
        abstract: "Copy the data directory while the server runs.",
        discussion: """
            Makes a data directory of its own: the database as it was at one moment and looked through, every file it \
            names and looked through as well, and the secret. A server started there goes on from that moment. A folder \
            with an older copy gets what it lacks and loses what is no longer named; until all is there, it stays what it \
            was. With --files the files stay in the S3 store, and are only looked for there: keep them by the store's own means, such as \
            versions of objects.
            """,
        examples: [
            .init("parley backup /backup/parley --data /var/lib/parley", "A daily backup into the same directory."),
            .init("parley serve --data /backup/parley", "Start a server from the backup."),
        ],
        exitCodes: [
            .init(.success, "The backup is complete."), .init(.usage, "The command line is wrong."),
            .init(.noInput, "There is no data directory to back up."),
            .init(.cannotCreate, "The target directory cannot be created or used."),
            .init(.failure, "The backup could not be completed."),
        ]
    )

    @Argument(help: "Target directory: empty, new, or an earlier backup.", completion: .directory)
    var target: String

    @OptionGroup var source: DataOptions
    @OptionGroup var fileStore: FilesOptions

    mutating func run() throws -> ExitCode {
        _ = try self.source.database()
        do throws(DataBackup.Trouble) {
            let target = DataDirectory(self.target)
            let report = try DataBackup(of: self.source.directory, to: target, filesIn: self.fileStore.store).make()
            let place = self.fileStore.files.map { "; the files stay in \($0.address), and all are there" } ?? ""
            print("\(self.target): the database and \(report.files) files with \(report.bytes) bytes\(place)")
            return .success
        } catch {
            throw CommandFailure("\(error)", exitCode: error.exitCode)
        }
    }
}

extension DataBackup.Trouble {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .directory, .inUse, .foreign: .cannotCreate
        case .store, .file, .files: .failure
        }
    }
}
