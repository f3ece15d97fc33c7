internal import HTTPServer
internal import JSON
internal import Keeping
internal import Switchboard
internal import Web

/// What devices are found by, as a program sees and changes it: `/v3/devices`, `/v3/aliases` and `/v3/tags`.
struct JPushBindings {
    let visit: JPushVisit

    init(_ visit: JPushVisit) { self.visit = visit }

    private static let maximumChanges = 100
    private static let maximumDevices = 1000
    private static let maximumTags = 100

    private var device: RegistrationID {
        get throws(JPushProblem) {
            guard let device = self.visit.parameters["device"].flatMap({ RegistrationID($0) }) else {
                throw .wrongDeviceValue("no such registration id")
            }
            return device
        }
    }

    private static func label(_ text: String, isTag: Bool) throws(JPushProblem) -> PushLabel {
        do throws(PushLabel.Fault) {
            return try PushLabel(text)
        } catch {
            let rule = PushLabelRule(error, isTag: isTag)
            throw .wrongDeviceValue("\(rule.words) (\(rule.rawValue))")
        }
    }

    private func named(_ parameter: String) throws(JPushProblem) -> PushLabel {
        let text = self.visit.parameters[parameter] ?? ""
        return try Self.label(text, isTag: parameter == "tag")
    }

    private static let unknownDevice = JPushProblem.wrongDeviceValue("no such registration id")

    func viewDevice() throws(JPushProblem) {
        self.visit.ask(ViewPushBinding(try self.device)) { binding in
            guard let binding else { return self.visit.refuse(Self.unknownDevice) }
            self.visit.answer { json in
                json.field("tags", raw: binding.tags.isEmpty ? Self.null : Self.list(binding.tags.map(\.text)))
                json.field("alias", raw: Self.text(binding.device.alias?.text))
                json.field("mobile", raw: Self.text(binding.device.mobile))
            }
        }
    }

    private static let null = Array("null".utf8)
    private static func text(_ text: String?) -> [UInt8] {
        text.map { text in JSONWriter.bytes { $0.string(text) } } ?? self.null
    }
    private static func list(_ texts: [String]) -> [UInt8] {
        JSONWriter.bytes { $0.array { json in for text in texts { json.string(text) } } }
    }

    func changeDevice(_ body: [UInt8]) throws(JPushProblem) {
        guard let object = LooseObject(body) else { throw .wrongDeviceValue("the body must be one JSON object") }
        var change = ChangePushBinding(of: try self.device)
        if let tags = object["tags"] { try Self.readTags(tags, &change) }
        if object["alias"] != nil {
            guard let alias = object.text("alias") else { throw .wrongDeviceValue("'alias' must be a text") }
            change.alias = .set(alias.isEmpty ? nil : try Self.label(alias, isTag: false))
        }
        if object["mobile"] != nil {
            guard let mobile = object.text("mobile"), Self.isMobile(mobile) else {
                throw .wrongDeviceValue("'mobile' must be a telephone number")
            }
            change.mobile = .set(mobile.isEmpty ? nil : mobile)
        }
        self.visit.ask(change) { result in
            switch result {
            case .success: self.visit.answerNothing()
            case .failure(let refusal): self.visit.refuse(refusal.problem)
            }
        }
    }

    private static let maximumMobileLetters = 20

    private static func isMobile(_ text: String) -> Bool {
        text.utf8.count <= self.maximumMobileLetters
            && text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    }

    /// An empty text takes all tags away.
    private static func readTags(_ json: [UInt8], _ change: inout ChangePushBinding) throws(JPushProblem) {
        if JSONType.text.read(proven: json) == "" {
            change.clearsTags = true
            return
        }
        guard let object = LooseObject(json) else { throw .wrongDeviceValue("'tags' must have 'add' or 'remove'") }
        change.added = try Self.labels("add", of: object)
        change.removed = try Self.labels("remove", of: object)
    }

    private static func labels(_ name: String, of object: LooseObject) throws(JPushProblem) -> [PushLabel] {
        var labels: [PushLabel] = []
        for text in try Self.texts(name, of: object, maximum: Self.maximumChanges) {
            labels.append(try Self.label(text, isTag: true))
        }
        return labels
    }

    private static func texts(_ name: String, of object: LooseObject, maximum: Int) throws(JPushProblem) -> [String] {
        guard let json = object[name] else { return [] }
        guard let texts = JSONType<String>.text.list(maximum: maximum).read(proven: json) else {
            throw .wrongDeviceValue("'\(name)' must be an array of at most \(maximum) texts")
        }
        return texts
    }

    // MARK: - Aliases

    func viewAlias() throws(JPushProblem) {
        let platforms = try self.visit.platforms
        self.visit.ask(ListPushDevicesByAlias(try self.named("alias"))) { devices in
            let devices = devices.filter { platforms.contains(JPushPlatform($0)) }
            self.visit.answer { $0.array("registration_ids", of: devices) { $0.string($1.registration.text) } }
        }
    }

    func changeAlias(_ body: [UInt8]) throws(JPushProblem) {
        let (_, removed) = try Self.registrations(of: body)
        self.visit.ask(RemovePushAlias(try self.named("alias"), of: Set(removed))) { self.visit.answerNothing() }
    }

    func removeAlias() throws(JPushProblem) {
        let (alias, platforms) = (try self.named("alias"), try self.visit.platforms)
        self.visit.ask(ListPushDevicesByAlias(alias)) { devices in
            let registrations = devices.filter { platforms.contains(JPushPlatform($0)) }.map(\.registration)
            self.visit.ask(RemovePushAlias(alias, of: Set(registrations))) { self.visit.answerNothing() }
        }
    }

    private static func registrations(
        of body: [UInt8]
    ) throws(JPushProblem) -> (added: [RegistrationID], removed: [RegistrationID]) {
        guard let object = LooseObject(body)?.object("registration_ids") else {
            throw .wrongDeviceValue("'registration_ids' must be an object with 'add' or 'remove'")
        }
        return (try self.registrations("add", of: object), try self.registrations("remove", of: object))
    }

    private static func registrations(_ name: String, of object: LooseObject) throws(JPushProblem) -> [RegistrationID] {
        var found: [RegistrationID] = []
        for text in try self.texts(name, of: object, maximum: Self.maximumDevices) {
            guard let registration = RegistrationID(text) else { throw Self.unknownDevice }
            found.append(registration)
        }
        return found
    }

    // MARK: - Tags

    func listTags() {
        self.visit.ask(ListPushTags(limit: Self.maximumTags)) { tags in
            self.visit.answer { $0.array("tags", of: tags) { $0.string($1.text) } }
        }
    }

    func viewTag() throws(JPushProblem) {
        let tag = try self.named("tag")
        self.visit.ask(ViewPushBinding(try self.device)) { binding in
            self.visit.answer { $0.field("result", binding?.tags.contains(tag) ?? false) }
        }
    }

    func changeTag(_ body: [UInt8]) throws(JPushProblem) {
        let (added, removed) = try Self.registrations(of: body)
        self.visit.ask(ChangePushTag(try self.named("tag"), adding: added, removing: removed)) { unknown in
            guard unknown.isEmpty else {
                return self.visit.refuse(.wrongDeviceValue("unknown: \(unknown.map(\.text).joined(separator: ", "))"))
            }
            self.visit.answerNothing()
        }
    }

    func removeTag() throws(JPushProblem) {
        let (tag, platforms) = (try self.named("tag"), try self.visit.platforms)
        guard platforms.count < JPushPlatform.allCases.count else {
            return self.visit.ask(RemovePushTag(tag)) { self.visit.answerNothing() }
        }
        self.remove(tag, of: platforms)
    }

    /// A portion after the other.
    private func remove(_ tag: PushLabel, of platforms: Set<JPushPlatform>, after start: String = "") {
        var audience = PushAudience()
        audience.tags = [tag]
        self.visit.ask(FindPushAudience(audience, after: start, limit: Self.maximumDevices)) { page in
            let devices = page.recipients.map(\.device).filter { platforms.contains(JPushPlatform($0)) }
            self.visit.ask(ChangePushTag(tag, adding: [], removing: devices.map(\.registration))) { _ in
                guard let next = page.next else { return self.visit.answerNothing() }
                self.remove(tag, of: platforms, after: next)
            }
        }
    }

    // MARK: - Who is there

    /// A device is there as long as its user is.
    func viewStatus(_ body: [UInt8]) throws(JPushProblem) {
        guard let object = LooseObject(body) else { throw .wrongDeviceValue("the body must be one JSON object") }
        let texts = try Self.texts("registration_ids", of: object, maximum: Self.maximumDevices)
        guard !texts.isEmpty else { throw .wrongDeviceValue("'registration_ids' is missing") }
        self.visit.ask(FindPushDevices(texts.compactMap { RegistrationID($0) })) { devices in
            let board = self.visit.dependencies.board
            self.visit.answer { json in
                for text in Set(texts).sorted() {
                    json.object(text) { json in
                        guard let device = devices.first(where: { $0.registration.text == text }) else { return }
                        json.field("online", board.view(of: device.user).isOnline)
                    }
                }
            }
        }
    }
}

extension ChangePushBinding.Refusal {
    fileprivate var problem: JPushProblem {
        let rule = PushLabelRule(self)
        return .wrongDeviceValue("\(rule.words) (\(rule.rawValue))")
    }
}
