import Arguments
import Journal
import Secure
import Service
import Vocabulary

/// `parley token`: what an application signs for one of its users.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "token",
        abstract: "Make an access token for a user of yours.",
        discussion: """
            An application that knows its users vouches for them: it signs a token with the key that the server was \
            given with --app, and the user connects with that. This command does the same by hand.
            """,
        examples: [
            .init("parley token alice --app shop:SECRET --name Alice", "For Alice, good for an hour.")
        ],
        exitCodes: [
            .init(.success, "The token is on standard output."), .init(.usage, "The command line is wrong."),
        ]
    )

    @Argument(help: "The user's id.")
    var user: String

    @Option(help: ArgumentHelp("The application's name, a colon and its secret.", valueName: "ID:SECRET"))
    var app: ApplicationKeyArgument

    @Option(help: "What the user is called.")
    var name: String?

    @Option(help: "How long the token is good.")
    var life = Duration.seconds(3600)

    func validate() throws(ValidationError) {
        if UserID(self.user) == nil { throw ValidationError("'\(self.user)' cannot be a user's id") }
        if let name = self.name, DisplayName(name) == nil { throw ValidationError("nobody can be called '\(name)'") }
        if self.life <= .zero { throw ValidationError("--life: it would be over before it began") }
    }

    mutating func run() throws -> ExitCode {
        let key = try self.signingKey()
        let now = LogTime.now().secondsSince1970
        var random = SystemRandomNumberGenerator()
        var claims = TokenClaims(
            issuer: self.app.key.id, subject: self.user, audience: ["parley"],
            expiry: now + self.life.components.seconds, issuedAt: now, tokenID: RandomToken(using: &random).text)
        if let name = self.name { claims.texts["name"] = name }
        print(try JSONWebToken.sign(claims, type: "JWT", with: key))
        return .success
    }

    private func signingKey() throws(CommandFailure) -> SigningKey {
        guard case .secret(let secret) = self.app.key.material else {
            throw CommandFailure("--app: nobody signs with the public half of a key", exitCode: .usage)
        }
        do throws(SecretWeakness) {
            return try SigningKey(id: self.app.key.id, sharedSecret: Array(secret.utf8))
        } catch {
            throw CommandFailure("--app: \(error)", exitCode: .usage)
        }
    }
}
