internal import HTTPServer
internal import Reactor
internal import Vocabulary
internal import Web

/// The addresses of the Server API, each ending in `.json`.
struct RongCloudRoutes: Sendable {
    let site: DoorSite
    let keys: RongCloudKeys
    let desk: RongCloudDesk

    /// A message and a thousand receivers, all escaped.
    static let maximumBodyBytes = 512 << 10

    typealias Work = @Sendable (RongCloudVisit, RongCloudForm) throws(RongCloudProblem) -> Void

    func add(to router: inout Router) {
        self.addUsers(to: &router)
        self.addMessages(to: &router)
        self.addGroups(to: &router)
        for name in Self.notOffered {
            self.on(name, &router) { _, _ throws(RongCloudProblem) in throw .notOffered("'\(name)'") }
        }
    }

    private static let notOffered = [
        "getImgCode", "sendCode", "verifyCode", "sendNotify", "message/ultragroup/publish", "ultragroup/create",
    ]

    private func addUsers(to router: inout Router) {
        self.on("user/getToken", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudUsers(visit).getToken(form)
        }
        self.on("user/refresh", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudUsers(visit).refresh(form)
        }
        self.on("user/info", &router) { visit, form throws(RongCloudProblem) in try RongCloudUsers(visit).info(form) }
        self.on("user/checkOnline", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudUsers(visit).checkOnline(form)
        }
        self.on("user/group/query", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudGroups(visit).listGroups(form)
        }
    }

    private func addMessages(to router: inout Router) {
        self.on("message/private/publish", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudPublishing(visit).publishToUsers(form)
        }
        self.on("message/group/publish", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudPublishing(visit).publishToGroups(form)
        }
        self.on("message/system/publish", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudPublishing(visit).publishBySystem(form)
        }
    }

    private func addGroups(to router: inout Router) {
        for name in ["group/create", "group/join"] {
            self.on(name, &router) { visit, form throws(RongCloudProblem) in try RongCloudGroups(visit).create(form) }
        }
        self.on("group/quit", &router) { visit, form throws(RongCloudProblem) in try RongCloudGroups(visit).quit(form) }
        self.on("group/dismiss", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudGroups(visit).dismiss(form)
        }
        self.on("group/refresh", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudGroups(visit).refresh(form)
        }
        self.on("group/user/query", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudGroups(visit).listMembers(form)
        }
    }

    private func on(_ name: String, _ router: inout Router, _ work: @escaping Work) {
        self.onBody(name, &router) { visit, body throws(RongCloudProblem) in
            guard let form = RongCloudForm(body) else {
                throw .wrong("the body must be UTF-8 with at most \(RongCloudForm.maximumItems) fields")
            }
            try work(visit, form)
        }
    }

    private func onBody(
        _ name: String, _ router: inout Router,
        _ work: @escaping @Sendable (RongCloudVisit, [UInt8]) throws(RongCloudProblem) -> Void
    ) {
        router.on(.post, "/\(name).json") { exchange, _ in
            guard exchange.reactor.loop === self.site.home else { return exchange.move(to: self.site.home) }
            let visit = RongCloudVisit(exchange, self.desk, self.site.atHome(exchange.reactor))
            visit.attempt { () throws(RongCloudProblem) in
                try visit.admit(self.keys)
                let length = exchange.request.fields[.contentLength].flatMap { Int($0) } ?? 0
                guard length <= Self.maximumBodyBytes else { throw .bodyTooLarge }
                exchange.collectBody(limit: Self.maximumBodyBytes) { body in
                    visit.attempt { () throws(RongCloudProblem) in try work(visit, body) }
                }
            }
        }
    }
}
