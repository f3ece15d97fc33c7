import Arguments
import Service
import Vocabulary
import Web

/// `parley check health`, for machines without a program that speaks HTTP.
struct CheckHealthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "health",
        abstract: "Ask a running server whether it is ready.",
        discussion: "Reads /readyz of the admin address, or /livez, for health checks of containers.",
        examples: [.init("parley check health", "Silent and successful when the server is ready.")],
        exitCodes: [
            .init(.success, "The server is ready."), .init(.failure, "It says why it is not."),
            .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."),
        ]
    )

    @Option(help: "Admin address of the running server.")
    var admin = ServiceConfiguration().admin

    @Flag(help: "Ask whether it answers at all, ready or not.")
    var live = false

    mutating func run() throws -> ExitCode {
        _ = try AdminCall(address: self.admin, token: nil).send(.get, self.live ? "/livez" : "/readyz")
        return .success
    }
}
