internal import Bytes
internal import HTTPServer
internal import Identity
internal import JSON
internal import Keeping
internal import Operations
internal import Pacing
internal import Reactor
internal import Secure
internal import Vocabulary
internal import Web

/// Devices that want to be woken, over HTTP: `/v1/push`.
struct PushRoutes: Sendable {
    let home: EventLoop
    let api: APIRoutes

    /// What lives on the home loop.
    struct Desk {
        let service: PushService
        let sender: PushSender
        let store: any Store
        let publicKey: String
        /// The kinds of devices that are woken.
        let kinds: [PushKind]
        /// How often each user may change what their devices are found by.
        let labelAllowance = APIAllowance(.init(perSecond: 1, burst: 10))
    }

    /// What is described in `openapi.json`.
    static let described: [(method: HTTPMethod, path: String)] = [
        (.get, "/v1/push"), (.get, "/v1/push/devices"), (.put, "/v1/push/devices/:device"),
        (.delete, "/v1/push/devices/:device"), (.post, "/v1/push/devices/:device/labels"), (.post, "/v1/push/test"),
        (.get, "/v1/push/trace"), (.post, "/v1/push/received"), (.post, "/v1/push/clicked"),
    ]

    private static let maximumBodyBytes = 8 << 10

    typealias Desks = (Reactor) -> (APIRoutes.Desk, Desk)?

    func add(to router: inout Router, _ desks: @escaping Desks) {
        self.on(.get, "/v1/push", &router, desks) { visit, _, desk in
            visit.answer(.json(.ok, JSONWriter.object { $0.pushKey(desk) }))
        }
        self.on(.get, "/v1/push/devices", &router, desks) { visit, asked, desk in visit.listPushDevices(asked, desk) }
        self.on(.put, "/v1/push/devices/:device", &router, desks) { visit, asked, desk throws(RequestError) in
            try visit.registerPushDevice(asked, desk)
        }
        self.on(.delete, "/v1/push/devices/:device", &router, desks) { visit, asked, desk throws(RequestError) in
            visit.settle(RemovePushDevice.own(try asked.deviceID, of: asked.identity.user), desk)
        }
        self.on(.post, "/v1/push/devices/:device/labels", &router, desks) { visit, asked, desk throws(RequestError) in
            visit.changeLabels(asked, of: try asked.deviceID, desk)
        }
        self.on(.post, "/v1/push/test", &router, desks) { visit, asked, desk in visit.testPushes(asked, desk) }
        self.on(.get, "/v1/push/trace", &router, desks) { visit, asked, desk throws(RequestError) in
            try visit.tracePushes(asked, desk)
        }
        for word in NotePushWord.Word.allCases {
            self.on(.post, "/v1/push/\(word.rawValue)", &router, desks) { visit, asked, desk throws(RequestError) in
                try visit.note(word, asked, desk)
            }
        }
    }

    private func on(
        _ method: HTTPMethod, _ path: String, _ router: inout Router, _ desks: @escaping Desks, _ work: @escaping Work
    ) {
        router.on(method, path) { exchange, parameters in
            guard exchange.reactor.loop === self.home else { return exchange.move(to: self.home) }
            guard let (api, desk) = desks(exchange.reactor) else { return }
            let visit = APIVisit(exchange, self.api, api)
            visit.admit { identity in
                exchange.collectBody(limit: Self.maximumBodyBytes) { body in
                    visit.push(PushRequest(identity: identity, device: parameters["device"], body: body), desk, work)
                }
            }
        }
    }

    typealias Work = (APIVisit, PushRequest, Desk) throws(RequestError) -> Void
}

struct PushRequest {
    let identity: Identity
    let device: String?
    let body: [UInt8]

    var deviceID: DeviceID {
        get throws(RequestError) {
            guard let device = self.device.flatMap({ DeviceID($0) }) else {
                throw RequestError(.badRequest, "a device is named by 1 to 64 letters, digits and _-.@:+=")
            }
            return device
        }
    }

    fileprivate func said(_ word: NotePushWord.Word, at now: WallTime) throws(RequestError) -> NotePushWord {
        guard let form = try? JSONObject(self.body.span), let push = form["push", .text].flatMap({ RandomToken($0) })
        else { throw RequestError(.badRequest, "the body must name a 'push' by its 20 letters") }
        let device = form["device", .text].flatMap { DeviceID($0) }
        guard device != nil || word == .clicked else {
            throw RequestError(.badRequest, "the body must name the 'device' that it came to")
        }
        return NotePushWord(word, push, by: self.identity.user, on: device, at: now)
    }

    /// A subscription as browsers give it: `{"endpoint","keys":{"p256dh","auth"},"language"?}`, or a token of FCM or
    /// APNs: `{"kind":"fcm","token","keys"?,"language"?}`, for APNs with an `"environment"?`.
    fileprivate func pushDevice(at now: WallTime, _ desk: PushRoutes.Desk) throws(RequestError) -> PushDevice {
        guard let form = try? JSONObject(self.body.span) else {
            throw RequestError(.badRequest, "the body must be a JSON object")
        }
        var found: PushDevice
        do throws(PushRefusal) {
            switch try desk.kind(form["kind", .text]) {
            case .webpush: found = try self.browser(form, at: now)
            case .fcm:
                found = try self.installation(form, at: now) { text throws(PushRefusal) in try FCMToken(text).endpoint }
            case .apns:
                let environment = form["environment", .text]
                found = try self.installation(form, at: now) { text throws(PushRefusal) in
                    try APNsToken(text, environment).endpoint
                }
            }
            if let quiet = form.value("quiet") {
                found.quiet = try QuietHours(JSONObject(found: quiet, in: form.reader))
            }
        } catch {
            throw RequestError(.badRequest, error.words)
        }
        found.language = form["language", .text].flatMap { Self.language($0) }
        found.family = self.identity.family
        found.alias = PushLabel(of: found.user)
        return found
    }

    private func installation(
        _ form: borrowing JSONObject, at now: WallTime, _ endpoint: (String) throws(PushRefusal) -> String
    ) throws(PushRefusal) -> PushDevice {
        guard let text = form["token", .text] else { throw PushRefusal("a device of this kind has a 'token'") }
        let endpoint = try endpoint(text)
        guard form.value("keys") != nil else {
            return PushDevice(
                self.identity.user, try self.knownDevice, endpoint: endpoint, publicKey: [], secret: [],
                since: now)
        }
        return try self.sealed(form, endpoint: endpoint, at: now)
    }

    private func browser(_ form: borrowing JSONObject, at now: WallTime) throws(PushRefusal) -> PushDevice {
        guard let endpoint = form["endpoint", .text] else {
            throw PushRefusal(
                "the body must be a push subscription: an 'endpoint', and 'keys' with 'p256dh' and 'auth'")
        }
        _ = try PushEndpoint(endpoint)
        return try self.sealed(form, endpoint: endpoint, at: now)
    }

    /// With the keys that only this device can open a push with.
    private func sealed(
        _ form: borrowing JSONObject, endpoint: String, at now: WallTime
    ) throws(PushRefusal) -> PushDevice {
        guard let publicKey = Self.bytes(form.object("keys")["p256dh", .text]),
            let secret = Self.bytes(form.object("keys")["auth", .text])
        else { throw PushRefusal("'keys' must have 'p256dh' and 'auth'") }
        let found = PushDevice(
            self.identity.user, try self.knownDevice, endpoint: endpoint, publicKey: publicKey, secret: secret,
            since: now)
        _ = try PushCipher(of: found)
        return found
    }

    private var knownDevice: DeviceID {
        get throws(PushRefusal) {
            do throws(RequestError) {
                return try self.deviceID
            } catch {
                throw PushRefusal(error.message)
            }
        }
    }

    private static func bytes(_ text: String?) -> [UInt8]? {
        text.flatMap { try? Base64.decode(String($0.prefix { $0 != "=" }), as: .url) }
    }

    private static let maximumLanguageLength = 35

    /// A tag of BCP 47, as far as its letters tell.
    private static func language(_ text: String) -> String? {
        let isTag = text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0 == "-" || Character($0).isLetter || $0.properties.numericType != nil)
        }
        return isTag && (1...self.maximumLanguageLength).contains(text.utf8.count) ? text : nil
    }
}

extension APIVisit {
    fileprivate func push(_ asked: PushRequest, _ desk: PushRoutes.Desk, _ work: PushRoutes.Work) {
        do throws(RequestError) {
            try self.stillKnows(asked.identity)
            try work(self, asked, desk)
        } catch {
            self.refuse(error)
        }
    }

    fileprivate func registerPushDevice(_ asked: PushRequest, _ desk: PushRoutes.Desk) throws(RequestError) {
        self.settle(RegisterPushDevice(try asked.pushDevice(at: SystemClock.now(), desk)), desk)
    }

    fileprivate func changeLabels(_ asked: PushRequest, of device: DeviceID, _ desk: PushRoutes.Desk) {
        let user = asked.identity.user
        if let wait = desk.labelAllowance.take(user, at: desk.service.now).wait {
            return self.refuse(.tooOften, retryAfter: wait)
        }
        do throws(PushLabelRule) {
            desk.store.send(
                try PushLabelForm(asked.body, of: device, user).change,
                self.exchange.reactor.returning { result in
                    switch result {
                    case .success(.success(let binding)):
                        self.answer(.json(.ok, JSONWriter.object { $0.members(of: binding) }))
                    case .success(.failure(let refusal)): self.refuse(PushLabelRule(refusal))
                    case .failure: self.refuse(.unknownTrouble)
                    }
                })
        } catch {
            self.refuse(error)
        }
    }

    private func refuse(_ rule: PushLabelRule, retryAfter: Duration? = nil) {
        let error = RequestError(rule.code, rule.words, retryAfter: retryAfter)
        self.answer(APIProblem.response(error) { $0.field("rule", rule.rawValue) })
    }

    fileprivate func settle<Request: StoreRequest>(_ request: Request, _ desk: PushRoutes.Desk)
    where Request.Answer == Void {
        desk.store.send(
            request,
            self.exchange.reactor.returning { result in
                switch result {
                case .success: self.answer(.json(.ok, JSONWriter.object { _ in }))
                case .failure: self.refuseBecauseOfStore()
                }
            })
    }

    fileprivate func listPushDevices(_ asked: PushRequest, _ desk: PushRoutes.Desk) {
        desk.store.send(
            ListPushDevices(of: asked.identity.user),
            self.exchange.reactor.returning { result in
                switch result {
                case .success(let devices):
                    self.answer(
                        .json(.ok, JSONWriter.object { $0.array("devices", of: devices) { $0.pushDevice($1) } }))
                case .failure: self.refuseBecauseOfStore()
                }
            })
    }

    fileprivate func testPushes(_ asked: PushRequest, _ desk: PushRoutes.Desk) {
        desk.service.test(asked.identity.user) { result in
            switch result {
            case .success(let test): self.answer(.json(.accepted, JSONWriter.object { $0.members(of: test) }))
            case .failure: self.refuseBecauseOfStore()
            }
        }
    }

    fileprivate func tracePushes(_ asked: PushRequest, _ desk: PushRoutes.Desk) throws(RequestError) {
        guard let query = QueryItems(self.exchange.request.query ?? ""),
            let request = ListPushEvents(query, of: asked.identity.user)
        else { throw RequestError(.badRequest, ListPushEvents.rule) }
        desk.store.send(
            request,
            self.exchange.reactor.returning { result in
                switch result {
                case .success(let events):
                    self.answer(.json(.ok, JSONWriter.object { $0.array("events", of: events) { $0.pushEvent($1) } }))
                case .failure: self.refuseBecauseOfStore()
                }
            })
    }

    fileprivate func note(
        _ word: NotePushWord.Word, _ asked: PushRequest, _ desk: PushRoutes.Desk
    ) throws(RequestError) {
        let said = try asked.said(word, at: SystemClock.now())
        // What led to it has to be there before it.
        desk.sender.trace.writeAll()
        desk.store.send(
            said,
            self.exchange.reactor.returning { result in
                switch result {
                case .success(true): self.answer(.json(.ok, JSONWriter.object { _ in }))
                case .success(false): self.refuse(RequestError(.notFound, "no push of yours has this name"))
                case .failure: self.refuseBecauseOfStore()
                }
            })
    }

    private func refuseBecauseOfStore() { self.refuse(RequestError(.unavailable, "try again later")) }
}

extension PushRoutes.Desk {
    /// - Parameter name: of a browser where nothing is said.
    fileprivate func kind(_ name: String?) throws(PushRefusal) -> PushKind {
        guard let kind = PushKind(rawValue: name ?? PushKind.webpush.rawValue), self.kinds.contains(kind) else {
            throw PushRefusal("'kind' must be one of \(self.kinds.map(\.rawValue).joined(separator: ", "))")
        }
        return kind
    }
}

extension JSONWriter {
    fileprivate mutating func pushKey(_ desk: PushRoutes.Desk) {
        self.field("publicKey", desk.publicKey)
        self.array("kinds", of: desk.kinds) { $0.string($1.rawValue) }
    }

    fileprivate mutating func members(of binding: PushBinding) {
        self.field("registration", binding.device.registration.text)
        self.optional("alias", binding.device.alias?.text)
        self.array("tags", of: binding.tags) { $0.string($1.text) }
    }
}
