internal import JSON
internal import Vocabulary

/// What a client sent to `/v1/auth/`: one JSON object with texts in it.
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
        guard let form = try? JSONObject(form: body.span) else { return nil }
        self.userName = form["userName", .text] ?? ""
        self.password = form["password", .text] ?? ""
        self.refreshToken = form["refreshToken", .text] ?? ""
        let name = form["name", .text] ?? ""
        self.name = DisplayName(name)
        if self.name == nil, !name.isEmpty { return nil }
    }
}

/// Another password, and the one before.
struct PasswordForm: Hashable {
    let password: String
    let newPassword: String

    init?(_ body: [UInt8]) {
        guard let form = try? JSONObject(form: body.span) else { return nil }
        self.password = form["password", .text] ?? ""
        self.newPassword = form["newPassword", .text] ?? ""
    }
}

/// What an application's server asks for: a token for one of its users.
struct TokenForm: FilledForm, Hashable {
    let application: String
    let secret: String
    let user: UserID
    let name: DisplayName?
    let picture: AvatarLink?
    /// The token opens one connection.
    let isForOneUse: Bool

    static let rule =
        "field 'user' must have 1 to 64 letters, digits and _-.@:+=, 'name' be printable and 'picture' a link"

    init?(_ body: [UInt8]) {
        guard let form = try? JSONObject(form: body.span),
            let user = form["user", .text].flatMap({ UserID($0) })
        else { return nil }
        self.application = form["application", .text] ?? ""
        self.secret = form["secret", .text] ?? ""
        self.user = user
        let (name, picture) = (form["name", .text] ?? "", form["picture", .text] ?? "")
        self.name = DisplayName(name)
        self.picture = AvatarLink(picture)
        self.isForOneUse = form["once", .bool] ?? false
        if self.name == nil && !name.isEmpty || self.picture == nil && !picture.isEmpty { return nil }
    }
}

extension JSONObject {
    /// An empty body is an empty object.
    @_lifetime(copy body)
    fileprivate init(form body: Span<UInt8>) throws(JSONObjectError) {
        guard !body.isEmpty else {
            self.init(found: nil, in: JSONReader(body))
            return
        }
        try self.init(body)
    }
}
