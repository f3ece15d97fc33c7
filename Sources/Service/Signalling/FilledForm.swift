internal import JSON
internal import Vocabulary

/// What somebody sent to `/v1/auth/`: one JSON object with texts in it.
protocol FilledForm: Sendable {
    /// What there should have been.
    static var rule: String { get }

    /// Nil for what breaks the rule.
    init?(_ body: [UInt8])
}

/// What a person filled in. What is missing is empty.
struct AuthForm: FilledForm, Hashable {
    let userName: String
    let password: String
    let refreshToken: String
    /// What they want to be called.
    let name: DisplayName?

    static let rule =
        "the body must be one JSON object of strings, with a 'name' of 1 to 64 printable characters if any"

    init?(_ body: [UInt8]) {
        guard let texts = FormTexts(body) else { return nil }
        self.userName = texts["userName"]
        self.password = texts["password"]
        self.refreshToken = texts["refreshToken"]
        self.name = DisplayName(texts["name"])
        if self.name == nil, !texts["name"].isEmpty { return nil }
    }
}

/// What an application's server asks for: a token for one of its users.
struct TokenForm: FilledForm, Hashable {
    let application: String
    let secret: String
    let user: UserID
    let name: DisplayName?
    let picture: AvatarLink?

    static let rule =
        "field 'user' must have 1 to 64 letters, digits and _-.@:+=, 'name' be printable and 'picture' a link"

    init?(_ body: [UInt8]) {
        guard let texts = FormTexts(body), let user = UserID(texts["user"]) else { return nil }
        self.application = texts["application"]
        self.secret = texts["secret"]
        self.user = user
        self.name = DisplayName(texts["name"])
        self.picture = AvatarLink(texts["picture"])
        if self.name == nil, !texts["name"].isEmpty { return nil }
        if self.picture == nil, !texts["picture"].isEmpty { return nil }
    }
}

/// The texts of a JSON object by name. An empty body is an empty object.
private struct FormTexts {
    private let body: [UInt8]
    private let object: JSONValue

    init?(_ body: [UInt8]) {
        let body = body.isEmpty ? Array("{}".utf8) : body
        guard let object = try? JSONReader(body.span).document(), object.kind == .object else { return nil }
        self.body = body
        self.object = object
    }

    subscript(name: String) -> String {
        let reader = JSONReader(self.body.span)
        return reader.member(name, of: self.object).flatMap { reader.string($0) } ?? ""
    }
}
