internal import Bytes
internal import Hashing
internal import Identity
internal import JSON
internal import RealtimeTree
internal import Secure
internal import Vocabulary

/// What is given out at this door and believed here alone: id tokens, what renews them, and access for administrators.
struct TreeTokens: Sendable {
    enum Kind: String {
        case id = "id"
        case refresh = "refresh"
        case administrator = "admin"
    }

    /// What one says.
    struct Claims: Hashable {
        var user: String
        /// How somebody signed in: `anonymous` or `custom`.
        var provider: String
        /// Members that the program added that vouches for the user, as a JSON object.
        var custom: [UInt8]?
        var issuedAt: Int64
        var signedInAt: Int64
    }

    static let life: Int64 = 3600
    private static let maximumBytes = 8 << 10

    private let key: HMACKey
    let project: String

    init(_ secret: ServerSecret, project: String) {
        self.key = HMACKey(secret.key(for: "tokens of the realtime tree"), using: .sha256)
        self.project = project
    }

    func sign(_ claims: Claims, _ kind: Kind) -> String {
        let header = JSONWriter.bytes { $0.fields(("alg", "HS256"), ("typ", "JWT"), ("kid", "tree:\(kind.rawValue)")) }
        let body = JSONWriter.object { json in
            if kind == .id { Self.writeCustom(claims.custom, to: &json) }
            json.field("iss", "https://securetoken.google.com/\(self.project)")
            json.field("aud", self.project)
            json.field("auth_time", claims.signedInAt)
            json.field("user_id", claims.user)
            json.field("sub", claims.user)
            json.field("iat", claims.issuedAt)
            if kind != .refresh { json.field("exp", claims.issuedAt + Self.life) }
            json.field("provider_id", claims.provider)
            if kind == .refresh, let custom = claims.custom { json.field("custom", raw: custom) }
            json.object("firebase") { json in
                json.object("identities") { _ in }
                json.field("sign_in_provider", claims.provider)
            }
        }
        let signed = "\(Base64.encode(header, as: .url)).\(Base64.encode(body, as: .url))"
        return "\(signed).\(Base64.encode(self.key.code(of: Array(signed.utf8)), as: .url))"
    }

    private static let reserved: Set = [
        "iss", "aud", "auth_time", "user_id", "sub", "iat", "exp", "provider_id", "firebase", "nbf", "jti", "acr",
        "amr",
        "at_hash", "azp", "cnf", "c_hash", "nonce",
    ]

    private static func writeCustom(_ custom: [UInt8]?, to json: inout JSONWriter) {
        guard let custom, let object = try? JSONObject(custom.span) else { return }
        for member in object.members {
            let name = object.name(of: member)
            if !self.reserved.contains(name) { json.field(name, raw: object.reader.raw(member.value)) }
        }
    }

    /// What a token of ours of this kind says, as JSON.
    func payload(of text: String, _ kind: Kind, at now: WallTime) throws(TreeProblem) -> [UInt8] {
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumBytes, parts.count == 3,
            let header = try? Base64.decode(Array(parts[0]), as: .url),
            let signature = try? Base64.decode(Array(parts[2]), as: .url),
            let payload = try? Base64.decode(Array(parts[1]), as: .url),
            ConstantTime.areEqual(
                self.key.code(of: Array(parts[0]) + [UInt8(ascii: ".")] + parts[1]), signature),
            let form = try? JSONObject(header.span), form["kid", .text] == "tree:\(kind.rawValue)",
            let claims = try? JSONObject(payload.span)
        else { throw .wrongToken }
        guard kind != .refresh else { return payload }
        guard let expiry = claims["exp", .integer], now.seconds < Int64(expiry) else { throw .expired }
        return payload
    }

    func claims(of text: String, _ kind: Kind, at now: WallTime) throws(TreeProblem) -> Claims {
        let payload = try self.payload(of: text, kind, at: now)
        guard let claims = try? JSONObject(payload.span), let user = claims["sub", .text],
            let issuedAt = claims["iat", .integer]
        else { throw .wrongToken }
        return Claims(
            user: user, provider: claims["provider_id", .text] ?? "", custom: claims["custom", .raw],
            issuedAt: Int64(issuedAt), signedInAt: Int64(claims["auth_time", .integer] ?? issuedAt))
    }
}

// MARK: - Whom a client may be

/// Finds out as whom a client reads and writes.
struct TreeGate: Sendable {
    let accounts: Accounts
    let tokens: TreeTokens
    /// Whether everybody who says so is an administrator, as in an emulator.
    let isEmulator: Bool
    /// Users who may look at everything on the page.
    var viewers: Set<UserID> = []

    /// Who may look at everything: administrators, and users of the page whom the operator named. What an application vouches for
    /// is not enough, or each of them could look as well.
    func viewer(_ credential: String, at now: WallTime) throws(TreeProblem) -> TreeAccess {
        let access = try self.access(credential, at: now)
        if access.isAdministrator { return access }
        guard access.isOfPage, let identity = access.identity, identity.kind != .application,
            self.viewers.contains(identity.user)
        else { throw .denied }
        return access
    }

    func access(_ credential: String, at now: WallTime) throws(TreeProblem) -> TreeAccess {
        if self.isEmulator, credential == "owner" { return .administrator }
        if let payload = try self.known(credential, .administrator, at: now) {
            var access = TreeAccess.administrator
            access.expiry = Self.expiry(payload)
            return access
        }
        if let payload = try self.known(credential, .id, at: now) { return try self.user(payload) }
        if self.isEmulator, let payload = Self.unsigned(credential) { return .someone(Self.auth(payload)) }
        return try self.ownUser(credential)
    }

    private func known(_ text: String, _ kind: TreeTokens.Kind, at now: WallTime) throws(TreeProblem) -> [UInt8]? {
        do throws(TreeProblem) {
            return try self.tokens.payload(of: text, kind, at: now)
        } catch {
            if error == .expired { throw error }
            return nil
        }
    }

    /// Mock users of an emulator sign with nothing.
    private static func unsigned(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].isEmpty else { return nil }
        return try? Base64.decode(String(parts[1]), as: .url)
    }

    private static func expiry(_ payload: [UInt8]) -> WallTime? {
        guard let claims = try? JSONObject(payload.span), let expiry = claims["exp", .integer] else { return nil }
        return WallTime(seconds: Int64(expiry))
    }

    private func user(_ payload: [UInt8]) throws(TreeProblem) -> TreeAccess {
        guard let claims = try? JSONObject(payload.span), let id = claims["sub", .text],
            let issuedAt = claims["iat", .integer], let expiry = claims["exp", .integer]
        else { throw .wrongToken }
        var access = TreeAccess.someone(Self.auth(payload))
        access.expiry = WallTime(seconds: Int64(expiry))
        if let user = UserID(id) {
            access.identity = try self.checked(user, issuedAt: Int64(issuedAt), expiry: Int64(expiry))
        }
        return access
    }

    /// Neither banned, deleted nor signed out since.
    func checked(_ user: UserID, issuedAt: Int64, expiry: Int64) throws(TreeProblem) -> Identity {
        let identity = Identity(
            user: user, displayName: nil, avatar: nil, kind: .anonymous, tokenID: "",
            issuedAt: WallTime(seconds: issuedAt), expiry: WallTime(seconds: expiry))
        do throws(IdentityRefusal) {
            try self.accounts.check(identity)
            return identity
        } catch {
            throw error == .token(.expired) ? .expired : .wrongToken
        }
    }

    /// `{"uid","provider","token":{…}}`
    private static func auth(_ payload: [UInt8]) -> TreeNode {
        let reader = JSONReader(payload.span)
        guard let document = try? reader.document(), let claims = try? JSONObject(document, in: reader) else {
            return .nothing
        }
        let user = claims["user_id", .text] ?? claims["sub", .text] ?? claims["uid", .text] ?? ""
        return self.auth(user, claims["provider_id", .text] ?? "custom", TreeNode(claims: document, reader))
    }

    private static func auth(_ user: String, _ provider: String, _ token: TreeNode) -> TreeNode {
        let members: [(String, TreeNode)] = [
            ("uid", TreeNode(.text(user))), ("provider", TreeNode(.text(provider))), ("token", token),
        ]
        return TreeNode(members.compactMap { name, node in TreeKey(name).map { ($0, node) } })
    }

    /// Who has signed in to this server otherwise comes in as well.
    private func ownUser(_ credential: String) throws(TreeProblem) -> TreeAccess {
        do throws(IdentityRefusal) {
            let identity = try self.accounts.identity(ofToken: credential)
            let user = TreeNode(.text(identity.user.text))
            let token = TreeNode(TreeKey("sub").map { [($0, user)] } ?? [])
            var access = TreeAccess.someone(Self.auth(identity.user.text, "parley", token))
            (access.expiry, access.identity, access.isOfPage) = (identity.expiry, identity, true)
            return access
        } catch {
            throw error == .token(.expired) ? .expired : .wrongToken
        }
    }
}

extension TreeNode {
    /// The claims of a token, as rules see them. What has no name that could be asked for is left out.
    fileprivate init(claims value: JSONValue, _ reader: borrowing JSONReader) {
        guard value.kind == .object else {
            self = (try? TreeParser.parse(reader.raw(value).span)) ?? .nothing
            return
        }
        var children: [(key: TreeKey, value: TreeNode)] = []
        var members = reader.members(of: value)
        while let member = members.next() {
            guard let key = reader.text(at: member.key).flatMap({ TreeKey($0) }) else { continue }
            children.append((key, TreeNode(claims: member.value, reader)))
        }
        self.init(children)
    }
}
