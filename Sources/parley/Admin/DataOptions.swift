import System
import Arguments
import Service

/// Whose data a command works on, with or without a server that runs there.
struct DataOptions: ParsableArguments {
    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp("Data directory of the server; default: ~/.local/share/parley.", valueName: "DIR"),
        completion: .directory
    )
    var data: String?

    var directory: DataDirectory {
        self.data.map { DataDirectory($0) } ?? .usual(environment: ProcessEnvironment.variables)
    }

    /// The database there, which can be read, or also written when `permission` says so.
    func database(_ permission: FileSystem.Permission = .reading) throws(CommandFailure) -> String {
        let path = self.directory.path(of: DataDirectory.database)
        guard FileSystem.allows(permission, path) else {
            throw CommandFailure("\(path): no such directory", exitCode: .noInput)
        }
        return path
    }
}
