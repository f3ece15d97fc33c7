internal import Bytes
internal import HTTPServer
internal import JSON
internal import Keeping
internal import Reactor
internal import Vocabulary
internal import Web

/// `/v3/…`, in both layouts that clients know.
struct JPushRoutes: Sendable {
    let site: DoorSite
    let keys: JPushKeys
    let desk: JPushDesk

    private static let maximumBodyBytes = 128 << 10
    private static let maximumBatchBytes = 1 << 20

    typealias Work = (JPushVisit, [UInt8]) throws(JPushProblem) -> Void

    func add(to router: inout Router) {
        self.on(.post, "/v3/push", .push, &router) { visit, body throws(JPushProblem) in
            try JPushPushes(visit).push(body)
        }
        self.on(.post, "/v3/push/validate", .push, &router) { visit, body throws(JPushProblem) in
            try JPushPushes(visit).validate(body)
        }
        self.on(.get, "/v3/push/cid", .push, &router) { visit, _ throws(JPushProblem) in
            try JPushPushes(visit).makeNames()
        }
        self.on(.post, "/v3/grouppush", .push, &router, keys: self.keys.groups) { visit, body throws(JPushProblem) in
            try JPushPushes(visit).pushToGroup(body, as: self.keys.firstKey)
        }
        for (name, target) in [("regid", JPushBatch.Target.registration), ("alias", .alias)] {
            let path = "/v3/push/batch/\(name)/single"
            self.on(.post, path, .push, &router, limit: Self.maximumBatchBytes) { visit, body throws(JPushProblem) in
                try JPushPushes(visit).pushBatch(body, to: target)
            }
        }
        for path in ["/v3/push", "/v3/push/validate"] {
            for method in [HTTPMethod.get, .put] {
                self.on(method, path, .push, &router) { _, _ throws(JPushProblem) in throw .wrongMethod }
            }
        }
        for (aliases, tags) in [("/v3/aliases", "/v3/tags"), ("/v3/device/aliases", "/v3/device/tags")] {
            self.addAliases(aliases, &router)
            self.addTags(tags, &router)
        }
        for devices in ["/v3/devices", "/v3/device"] { self.addDevices(devices, &router) }
        for schedules in ["/v3/schedules", "/v3/push/schedules"] { self.addSchedules(schedules, &router) }
        for reports in ["/v3", "/v3/report"] { self.addReports(reports, &router) }
        self.on(.delete, "/v3/push/:push", .push, &router) { visit, _ throws(JPushProblem) in
            try JPushPushes(visit).withdraw()
        }
    }

    private func addDevices(_ path: String, _ router: inout Router) {
        self.on(.post, "\(path)/status", .devices, &router) { visit, body throws(JPushProblem) in
            try JPushBindings(visit).viewStatus(body)
        }
        self.on(.get, "\(path)/:device", .devices, &router) { visit, _ throws(JPushProblem) in
            try JPushBindings(visit).viewDevice()
        }
        self.on(.post, "\(path)/:device", .devices, &router) { visit, body throws(JPushProblem) in
            try JPushBindings(visit).changeDevice(body)
        }
    }

    private func addSchedules(_ path: String, _ router: inout Router) {
        self.on(.post, path, .schedules, &router) { visit, body throws(JPushProblem) in
            try JPushSchedules(visit).make(body)
        }
        self.on(.get, path, .schedules, &router) { visit, _ throws(JPushProblem) in try JPushSchedules(visit).list() }
        self.on(.get, "\(path)/:schedule", .schedules, &router) { visit, _ in JPushSchedules(visit).view() }
        self.on(.put, "\(path)/:schedule", .schedules, &router) { visit, body throws(JPushProblem) in
            try JPushSchedules(visit).change(body)
        }
        self.on(.delete, "\(path)/:schedule", .schedules, &router) { visit, _ in JPushSchedules(visit).remove() }
        self.on(.get, "\(path)/:schedule/msg_ids", .schedules, &router) { visit, _ in
            JPushSchedules(visit).listPushes()
        }
    }

    private func addReports(_ path: String, _ router: inout Router) {
        self.on(.get, "\(path)/received", .report, &router) { visit, _ throws(JPushProblem) in
            try JPushReports(visit).listReceived()
        }
        self.on(.get, "\(path)/received/detail", .report, &router) { visit, _ throws(JPushProblem) in
            try JPushReports(visit).listReceivedInDetail()
        }
        self.on(.get, "\(path)/messages", .report, &router) { visit, _ throws(JPushProblem) in
            try JPushReports(visit).listMessages()
        }
        self.on(.post, "\(path)/status/message", .report, &router) { visit, body throws(JPushProblem) in
            try JPushReports(visit).viewStatus(body)
        }
        for (name, what) in [("messages/detail", "messages in such detail"), ("users", "users")] {
            self.on(.get, "\(path)/\(name)", .report, &router) { _, _ throws(JPushProblem) in
                throw .noReport(what)
            }
        }
    }

    private func addAliases(_ path: String, _ router: inout Router) {
        self.on(.get, "\(path)/:alias", .devices, &router) { visit, _ throws(JPushProblem) in
            try JPushBindings(visit).viewAlias()
        }
        self.on(.post, "\(path)/:alias", .devices, &router) { visit, body throws(JPushProblem) in
            try JPushBindings(visit).changeAlias(body)
        }
        self.on(.delete, "\(path)/:alias", .devices, &router) { visit, _ throws(JPushProblem) in
            try JPushBindings(visit).removeAlias()
        }
    }

    private func addTags(_ path: String, _ router: inout Router) {
        self.on(.get, path, .devices, &router) { visit, _ in JPushBindings(visit).listTags() }
        self.on(.get, "\(path)/:tag/registration_ids/:device", .devices, &router) { visit, _ throws(JPushProblem) in
            try JPushBindings(visit).viewTag()
        }
        self.on(.post, "\(path)/:tag", .devices, &router) { visit, body throws(JPushProblem) in
            try JPushBindings(visit).changeTag(body)
        }
        self.on(.delete, "\(path)/:tag", .devices, &router) { visit, _ throws(JPushProblem) in
            try JPushBindings(visit).removeTag()
        }
    }

    private func on(
        _ method: HTTPMethod, _ path: String, _ part: JPushProblem.Part, _ router: inout Router,
        limit: Int = Self.maximumBodyBytes, keys: JPushKeys? = nil, _ work: @escaping Work
    ) {
        router.on(method, path) { exchange, parameters in
            guard self.site.isHome(exchange) else { return }
            let visit = JPushVisit(exchange, parameters, part, self.desk, self.site.atHome(exchange.reactor))
            visit.attempt { () throws(JPushProblem) in
                try visit.admit(keys ?? self.keys)
                exchange.collectBody(limit: limit) { body in
                    visit.attempt { () throws(JPushProblem) in try work(visit, body) }
                }
            }
        }
    }
}
