import Arguments
import Client
import Vocabulary

/// `parley register`
struct RegisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "register",
        abstract: "Create an account with a user name and a password.",
        discussion: """
            Asks for a password, or reads it from standard input, creates the account and signs in on this machine: \
            '--as NAME' then means this account. Others find it by its name, whether it is online or not.
            """,
        examples: [
            .init("parley register alice", "Then: parley chat @bob --as alice."),
            .init("parley register alice --name 'Alice Liddell' < password.txt", "With a display name."),
        ],
        exitCodes: AccountSignIn.exitCodes
    )

    @Argument(help: "User name: 4 to 15 letters, digits or _.")
    var userName: String

    @Option(help: "Display name that others see.")
    var name: String?

    @OptionGroup var server: ServerOptions

    func validate() throws(ValidationError) {
        try AccountSignIn.check(self.userName)
        if let name = self.name, DisplayName(name) == nil {
            throw ValidationError("'\(name)' is not a valid display name")
        }
    }

    mutating func run() throws -> ExitCode {
        let (password, name) = (try PasswordPrompt.ask(isNew: true), self.name.flatMap { DisplayName($0) })
        try AccountSignIn.run(self.userName, at: self.server.url) { client, user throws(ClientError) in
            try await client.register(user, password: password, as: name)
        }
        return .success
    }
}
