import Arguments
import Service

/// `parley backup`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "backup",
        abstract: "Copy everything that is kept, while the server runs.",
        discussion: """
            Makes a data directory of its own: the database as it was at one moment and looked through, every file it \
            names and looked through as well, and the secret. A server started there goes on from that moment. A folder \
            with an older copy gets what it lacks and loses what is no longer named; until all is there, it stays what it \
            was.
            """,
        examples: [
            .init("parley backup /backup/parley --data /var/lib/parley", "Once a day, into the same folder."),
            .init("parley serve --data /backup/parley", "A server that goes on from the copy."),
        ],
        exitCodes: [
            .init(.success, "The copy is whole."), .init(.usage, "The command line is wrong."),
            .init(.noInput, "There is nothing to copy."), .init(.cannotCreate, "The folder cannot be made or used."),
            .init(.failure, "The copy could not be finished."),
        ]
    )

    @Argument(help: "The folder to write; it may hold an older copy.", completion: .directory)
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
        case .directory, .inUse: .cannotCreate
        case .store, .file: .failure
        }
    }
}
