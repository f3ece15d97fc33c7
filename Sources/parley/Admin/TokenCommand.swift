import Arguments
import Journal
import Secure
import Service
import Vocabulary

/// `parley token`: what an application signs for one of its users.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "token",
        abstract: "Make an access token for one of your users.",
        discussion: """
            An application that knows its users vouches for them: it signs a token with the key that the server was \
            given with --app, and the user connects with that. This command does the same by hand.
            """,
        examples: [
            .init("parley token alice --app shop:SECRET --name Alice", "A token for Alice, valid for one hour.")
        ],
        exitCodes: [
            .init(.success, "The token is on standard output."), .init(.usage, "The command line is wrong."),
        ]
    )

    @Argument(help: "The user's id.")
    var user: String

    @Option(help: ArgumentHelp("Application id and secret.", valueName: "ID:SECRET"))
    var app: ApplicationKeyArgument

    @Option(help: "Display name of the user.")
    var name: String?

    @Option(help: "Lifetime of the token.")
    var life = Duration.seconds(3600)

    func validate() throws(ValidationError) {
        if UserID(self.user) == nil { throw ValidationError("'\(self.user)' is not a valid user id") }
        if let name = self.name, DisplayName(name) == nil {
            throw ValidationError("'\(name)' is not a valid display name")
        }
        if self.life <= .zero { throw ValidationError("--life must be greater than zero") }
    }

    mutating func run() throws -> ExitCode {
        let key = try self.app.signingKey()
        let now = LogTime.now().secondsSince1970
        var random = SystemRandomNumberGenerator()
        var claims = TokenClaims(
            issuer: self.app.key.id, subject: self.user, audience: ["parley"],
            expiry: now + self.life.components.seconds, issuedAt: now, tokenID: RandomToken(using: &random).text)
        if let name = self.name { claims.texts["name"] = name }
        print(try JSONWebToken.sign(claims, type: "JWT", with: key))
        return .success
    }
}
