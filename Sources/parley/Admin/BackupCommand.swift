import Arguments
import Service
import Store

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `parley backup`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "backup",
        abstract: "Copy everything that is kept, while the server runs.",
        discussion: """
            The copy is as everything was at one moment, and is looked through before the command says that it is good. \
            To use it, put it in the place of parley.db in a data directory while no server runs there; the file \
            'secret' beside it is needed as well for tokens to stay good.
            """,
        examples: [.init("parley backup /backup/parley-$(date +%F).db --data /var/lib/parley", "One copy a day.")],
        exitCodes: [
            .init(.success, "The copy is whole."), .init(.usage, "The command line is wrong."),
            .init(.noInput, "There is nothing to copy."),
            .init(.cannotCreate, "The copy cannot be written, or is there."),
            .init(.failure, "The copy could not be finished."),
        ]
    )

    @Argument(help: "The file to write, which must not be there yet.")
    var target: String

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp("The server's data directory; ~/.local/share/parley by itself.", valueName: "DIR"),
        completion: .directory
    )
    var data: String?

    mutating func run() throws -> ExitCode {
        let directory = self.data.map { DataDirectory($0) } ?? .usual(environment: ProcessEnvironment.variables)
        let source = directory.path(of: "parley.db")
        guard unsafe access(source, R_OK) == 0 else {
            throw CommandFailure("there is no \(source) to be read", exitCode: .noInput)
        }
        let descriptor = unsafe open(self.target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw unsafe CommandFailure("\(self.target): \(String(cString: strerror(errno)))", exitCode: .cannotCreate)
        }
        close(descriptor)
        do throws(StoreError) {
            try StoreBackup.make(of: source, to: self.target)
            return .success
        } catch {
            unsafe unlink(self.target)
            throw CommandFailure("\(error)")
        }
    }
}
