internal import HTTPServer
internal import Identity
internal import JSON
internal import Reactor
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// FLSocketIM's own way to register, sign in and look people up. Every answer is 200 with `code` 1 or -1.
struct FLRoutes: Sendable {
    let site: DoorSite
    /// Who is here is told without a token.
    let listsPublicly: Bool

    private static let maximumBodyBytes = 64 << 10
    /// The apps ask for all users at once, and any client may ask: there has to be an end, far beyond what a phone's list
    /// is good for.
    private static let maximumListed = 10_000

    func add(to router: inout Router) {
        router.on(.post, "/register") { exchange, _ in
            self.collect(exchange) { form, address throws(IdentityRefusal) in
                let registration = Registration(name: form.userName, password: form.password, avatar: form.avatar)
                return try await self.site.accounts.register(registration, from: address)
            }
        }
        router.on(.post, "/mobileLogin") { exchange, _ in
            self.collect(exchange) { form, address throws(IdentityRefusal) in
                try await self.site.accounts.logIn(name: form.userName, password: form.password, from: address)
            }
        }
        router.on(.get, "/allUsers") { exchange, _ in
            let home = self.site.home
            guard exchange.reactor.loop === home else { return exchange.move(to: home) }
            self.mayList(exchange) { mayList in
                guard mayList else { return Self.respond(exchange, -1, "请先登录") }
                self.listUsers(exchange, self.site.atHome(exchange.reactor).board.namesOnline)
            }
        }
    }

    /// The apps send no token here, so whoever serves them has to say that everybody may know who there is.
    private func mayList(_ exchange: HTTPExchange, _ completion: @escaping (Bool) -> Void) {
        if self.listsPublicly { return completion(true) }
        if (try? self.site.accounts.identity(of: exchange)) != nil { return completion(true) }
        guard let token = Self.token(exchange.request) else { return completion(false) }
        let accounts = self.site.accounts
        exchange.reactor.perform(
            { (try? await accounts.identity(ofLegacyToken: token)) != nil }, completion: completion)
    }

    /// In the query as the released apps send it, which ends up in the logs of proxies, or in a field of the request.
    private static func token(_ request: HTTPRequestHead) -> String? {
        BearerToken.found(in: request.fields) ?? BearerToken.cookie(FLDoor.token, in: request.fields)
            ?? QueryItems(request.query ?? "")?[FLDoor.token]
    }

    private typealias Work = @Sendable (FLForm, IPAddress) async throws(IdentityRefusal) -> SignIn

    private func collect(_ exchange: HTTPExchange, _ work: @escaping Work) {
        let isJSON = exchange.request.fields[.contentType]?.hasPrefix("application/json") ?? false
        exchange.collectBody(limit: Self.maximumBodyBytes) { body in
            let form = FLForm(body, isJSON: isJSON)
            let isLogin = exchange.request.path == "/mobileLogin"
            exchange.signIn { address throws(IdentityRefusal) in
                try await work(form, address)
            } then: { result in
                self.adopt(isLogin ? nil : form.avatar, result, exchange.reactor) {
                    Self.answer(exchange, result, isLogin: isLogin)
                }
            }
        }
    }

    /// A picture that was brought before stays, and counts as the new user's.
    private func adopt(
        _ avatar: AvatarLink?, _ result: Result<SignIn, IdentityRefusal>, _ reactor: Reactor,
        _ completion: @escaping () -> Void
    ) {
        guard case .success(let signIn) = result, let path = avatar?.text.split(separator: "/").last,
            let (file, _) = FLPaths.file(named: String(path))
        else { return completion() }
        self.site.files.store.send(
            AdoptPicture(file, by: signIn.identity.user, from: StrangerBook.ownerPrefix),
            reactor.returning { _ in completion() })
    }

    private static func answer(_ exchange: HTTPExchange, _ result: Result<SignIn, IdentityRefusal>, isLogin: Bool) {
        switch result {
        case .success(let signIn):
            guard let token = signIn.longLived else { return self.respond(exchange, -1, "用户名或密码错误") }
            self.respond(exchange, 1, isLogin ? "登录成功" : "注册成功") { json in
                json.fields(("auth_token", token.text)) { $0.field("auth_date", token.expiry.milliseconds) }
            }
        case .failure(let refusal): self.respond(exchange, -1, refusal.text)
        }
    }

    private func listUsers(_ exchange: HTTPExchange, _ online: [DisplayName]) {
        exchange.reactor.perform(
            { () -> Result<[Profile], IdentityRefusal> in
                do throws(IdentityRefusal) {
                    return .success(try await self.site.accounts.members(atMost: Self.maximumListed))
                } catch {
                    return .failure(error)
                }
            },
            completion: { result in
                switch result {
                case .success(let members): Self.list(members, online: online, on: exchange)
                case .failure(let refusal): Self.respond(exchange, -1, refusal.text)
                }
            })
    }

    private static func list(_ members: [Profile], online: [DisplayName], on exchange: HTTPExchange) {
        self.respond(exchange, 1, "查询数据成功") { json in
            json.object { json in
                json.array("allUser", of: members) { $0.member($1) }
                json.array("onLineUsers", of: online) { $0.string($1.text) }
            }
        }
    }

    private static func respond(
        _ exchange: HTTPExchange, _ code: Int, _ message: String, _ data: (inout JSONWriter) -> Void = { $0.string("") }
    ) {
        let json = JSONWriter.object { json in
            json.field("code", code)
            json.field("message", message)
            json.field("data", data)
        }
        var response = HTTPResponse.json(.ok, json)
        response.head.fields.set(.cacheControl, to: "no-store")
        exchange.respond(response)
    }
}

/// What the apps send: a form, or JSON.
struct FLForm: Hashable, Sendable {
    let userName: String
    let password: String
    /// A picture that was brought before.
    let avatar: AvatarLink?

    init(_ body: [UInt8], isJSON: Bool) {
        let picture: String?
        if isJSON {
            let form = AuthForm(body)
            self.userName = form?.userName ?? ""
            self.password = form?.password ?? ""
            picture = LooseObject(body)?.text("headImageUrl")
        } else {
            let items = QueryItems(body.span)
            self.userName = items?["userName"] ?? ""
            self.password = items?["password"] ?? ""
            picture = items?["headImageUrl"]
        }
        // One from elsewhere would tell another server who looks at it.
        let isHere = picture.map { $0.hasPrefix("images/") || $0.hasPrefix("/images/") } ?? false
        self.avatar = isHere ? picture.flatMap { AvatarLink($0) } : nil
    }
}

extension IdentityRefusal {
    /// The words that the apps show.
    fileprivate var text: String {
        switch self {
        case .nameEmpty: "用户名不能为空"
        case .passwordEmpty: "密码不能为空"
        case .passwordTooShort: "密码至少需要8个字符"
        case .passwordFrequent: "密码过于常见，请换一个"
        case .nameInvalid, .nameRefused: "用户名不合法"
        case .closed: "服务器已关闭此登录方式"
        case .nameTaken: "用户已存在"
        case .passwordTooLong, .passwordInvalid: "密码不合法"
        case .wrongCredentials: "用户名或密码错误"
        case .tooManyAttempts: "请求过于频繁，请稍后再试"
        default: "服务暂不可用"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ profile: Profile) {
        self.fields(("_id", profile.user.text), ("name", profile.signInName?.text ?? profile.user.text)) { json in
            json.optional("headImageUrl", profile.avatar?.text)
            json.optional("nickname", profile.shownName?.text)
        }
    }
}
