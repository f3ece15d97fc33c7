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
            has to be there with the size it had. Nothing is changed.
            """,
        examples: [.init("parley check --data /var/lib/parley", "Regularly, and before an old backup is deleted.")],
        exitCodes: [
            .init(.success, "No damage found."), .init(.usage, "The command line is wrong."),
            .init(.noInput, "There is no data directory to check."),
            .init(.failure, "Something is damaged or missing."),
        ],
        subcommands: [CheckConfigCommand.self, CheckHealthCommand.self]
    )

    @OptionGroup var source: DataOptions

    mutating func run() throws -> ExitCode {
        let (directory, path) = (self.source.directory, try self.source.database(.readingAndWriting))
        do {
            var findings = try StoreEngine.findings(in: path)
            if findings.isEmpty { findings = try self.missingFiles(directory, path) }
            for finding in findings { print(finding) }
            if findings.isEmpty { print("\(directory): all is well") } else { Terminal.complain(Self.advice) }
            return findings.isEmpty ? .success : .failure
        } catch let error as StoreError {
            throw CommandFailure("\(error)")
        } catch let error as FileTrouble {
            throw CommandFailure("\(error)")
        }
    }

    private static let advice = """
        Something is damaged or missing. Stop the server, keep a copy of the data directory, and start from the latest \
        'parley backup'. Without one, 'sqlite3 parley.db .recover | sqlite3 new.db' saves what can still be read.
        """

    private func missingFiles(_ directory: DataDirectory, _ path: String) throws -> [String] {
        let contents = try StoreEngine.contents(in: path)
        guard !contents.isEmpty else { return [] }
        let folder = try FileFolder(directory.path)
        return contents.compactMap { hash, size in
            guard let found = folder.size(of: hash) else { return "\(folder.place(of: hash)) is missing" }
            return found == size ? nil : "\(folder.place(of: hash)) has \(found) bytes instead of \(size)"
        }
    }
}
