import Arguments
import JSON
import Keeping
import SQLTables
import Service
import System

/// `parley move`
struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "move",
        abstract: "Move messages and accounts into PostgreSQL, or back.",
        discussion: """
            Copies everything that the database keeps, as it is at one moment, from the data directory into an empty \
            PostgreSQL or the other way round, builds the index of words, and compares both: the rows of every table, and the \
            last number of each conversation. Stop the server first. Files, the secret and certificates stay in the data \
            directory, which the server goes on using with either. The source is kept as it is; a move that was \
            interrupted leaves nothing behind and is begun again.
            """,
        examples: [
            .init(
                "parley move --from /var/lib/parley --to postgresql://parley@db/parley",
                "From the file in the data directory into a database."),
            .init(
                "parley serve --data /var/lib/parley --store postgresql://parley@db/parley",
                "The server goes on from there."),
            .init("parley move --from postgresql://parley@db/parley --to /var/lib/parley", "And back."),
        ],
        exitCodes: [
            .init(.success, "Everything is moved, and both sides are equal."),
            .init(.usage, "The command line is wrong."),
            .init(.noInput, "There is nothing to move, or files are missing."),
            .init(.cannotCreate, "The target has data already, or cannot be made."),
            .init(.unavailable, "The database cannot be reached, or a server works with one of the two."),
            .init(.failure, "It could not be completed; the target is as it was, or the message says otherwise."),
        ]
    )

    @Option(
        help: "What is moved: a data directory, or the URL of a PostgreSQL (as PARLEY_FROM where it has a password).")
    var from: StorePlace

    @Option(help: "Where to: the other one of the two, empty (or PARLEY_TO).")
    var to: StorePlace

    @Flag(help: "Move even when files that messages show are not in the data directory.")
    var withoutFiles = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    mutating func run() throws -> ExitCode {
        let direction = try self.direction()
        let (bar, start) = (MoveProgressBar(), ContinuousClock.now)
        do throws(DataMove.Trouble) {
            defer { bar.end() }
            let report = try DataMove(direction, mayLackFiles: self.withoutFiles, moved: bar.moved(_:of:)).make()
            bar.end()
            self.tell(report, seconds: (ContinuousClock.now - start) / .seconds(1))
            return .success
        } catch {
            throw CommandFailure("\(error)", exitCode: error.exitCode)
        }
    }

    private func direction() throws(CommandFailure) -> DataMove.Direction {
        switch (self.from, self.to) {
        case (.directory(let source), .postgres(let target)): return .toPostgres(from: source, target)
        case (.postgres(let source), .directory(let target)): return .toDirectory(from: source, target)
        case (.directory, .directory):
            throw CommandFailure("both are directories; 'parley backup' copies one", exitCode: .usage)
        case (.postgres, .postgres):
            throw CommandFailure("both are databases; pg_dump copies one", exitCode: .usage)
        }
    }

    private func tell(_ report: DataMove.Report, seconds: Double) {
        if self.json { return Terminal.print(self.line(of: report, seconds)) }
        let copy = report.copy
        let rate = Double(copy.rows) / max(seconds, 0.001)
        print(
            """
            \(self.to): \(copy.rows) rows, with \(copy.entries) entries in \(copy.conversations) conversations, in \
            \(seconds.fixed(1)) s (\(rate.fixed(0)) rows/s); both sides are equal
            """)
        if case .postgres = self.to, case .directory(let directory) = self.from {
            print(
                """
                Go on with: parley serve --data \(directory) --store URL. \(report.files) files, the secret and certificates stay \
                in \(directory); its \(DataDirectory.database) is no longer used, move it away when you are content
                """)
        }
        if report.missingFiles > 0 { print("\(report.missingFiles) of \(report.files) files are missing") }
    }

    private func line(of report: DataMove.Report, _ seconds: Double) -> String {
        JSONWriter.line { json in
            json.field("from", "\(self.from)")
            json.field("to", "\(self.to)")
            json.field("equal", true)
            json.field("rows", report.copy.rows)
            json.field("conversations", report.copy.conversations)
            json.field("entries", report.copy.entries)
            json.field("files", report.files)
            json.field("missingFiles", report.missingFiles)
            json.field("seconds", seconds, digits: 3)
            json.object("tables") { json in
                for table in report.copy.tables { json.field(table.name, table.rows) }
            }
        }
    }
}

extension DataMove.Trouble {
    fileprivate var exitCode: ExitCode {
        switch self {
        case .nothing, .missingFiles: .noInput
        case .occupied, .copy(.occupied(_), _): .cannotCreate
        case .directory(let error): error.reason == .inUse ? .unavailable : .cannotCreate
        case .store(let error): [.unreachable, .busy].contains(error.reason) ? .unavailable : .failure
        case .copy, .file: .failure
        }
    }
}
