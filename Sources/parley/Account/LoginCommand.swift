import Arguments
import Client
import Vocabulary

/// `parley login`
struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "login",
        abstract: "Sign in to an account on this machine.",
        discussion: "Asks for the password, or reads it from standard input. '--as NAME' then means this account.",
        examples: [.init("parley login alice", "Then: parley chat --as alice.")],
        exitCodes: AccountSignIn.exitCodes
    )

    @Argument(help: "User name of the account.")
    var userName: String

    @OptionGroup var server: ServerOptions

    func validate() throws(ValidationError) { try AccountSignIn.check(self.userName) }

    mutating func run() throws -> ExitCode {
        let password = try PasswordPrompt.ask(isNew: false)
        try AccountSignIn.run(self.userName, at: self.server.url) { client, user throws(ClientError) in
            try await client.logIn(user, password: password)
        }
        return .success
    }
}
