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
            was.
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

    mutating func run() throws -> ExitCode {
        _ = try self.source.database()
        do throws(DataBackup.Trouble) {
            let report = try DataBackup(of: self.source.directory, to: DataDirectory(self.target)).make()
            print("\(self.target): the database and \(report.files) files with \(report.bytes) bytes")
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
        case .store, .file: .failure
        }
    }
}
