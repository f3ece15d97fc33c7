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
        self.addBlocks(to: &router)
        self.addGags(to: &router)
        self.addRooms(to: &router)
        self.addPast(to: &router)
        RongCloudSettingRoutes(routes: self).add(to: &router)
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

    private func addBlocks(to router: inout Router) {
        self.on("user/block", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudBlocks(visit).block(form)
        }
        self.on("user/unblock", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudBlocks(visit).unblock(form)
        }
        self.on("user/block/query", &router) { visit, form in RongCloudBlocks(visit).listBlocked(form) }
        self.on("user/token/expire", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudBlocks(visit).expireTokens(form)
        }
        for (name, isBlocked) in [("add", true), ("remove", false)] {
            self.on("user/blacklist/\(name)", &router) { visit, form throws(RongCloudProblem) in
                try RongCloudBlocks(visit).setBlocked(isBlocked, form)
            }
        }
        self.on("user/blacklist/query", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudBlocks(visit).listBlacklist(form)
        }
    }

    private func addGags(to router: inout Router) {
        for (path, field) in [("group/user", "groupId"), ("chatroom/user", "chatroomId")] {
            // Without the name of a group it is about all of them.
            @Sendable func isAboutAll(_ form: RongCloudForm) -> Bool { field == "groupId" && form[field] == nil }
            let all = RongCloudBook.silencedInGroups
            self.on("\(path)/gag/add", &router) { visit, form throws(RongCloudProblem) in
                guard !isAboutAll(form) else { return try RongCloudSilences(visit).add(to: all, form) }
                try RongCloudGags(visit, in: field).set(.gag, form)
            }
            self.on("\(path)/gag/rollback", &router) { visit, form throws(RongCloudProblem) in
                guard !isAboutAll(form) else { return try RongCloudSilences(visit).remove(from: all, form) }
                try RongCloudGags(visit, in: field).endGag(form)
            }
            self.on("\(path)/gag/list", &router) { visit, form throws(RongCloudProblem) in
                guard !isAboutAll(form) else { return RongCloudSilences(visit).list(all) }
                try RongCloudGags(visit, in: field).list(.gag, form)
            }
        }
        self.on("chatroom/user/block/add", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudGags(visit, in: "chatroomId").set(.block, form)
        }
        self.on("chatroom/user/block/rollback", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudGags(visit, in: "chatroomId").endBlock(form)
        }
        self.on("chatroom/user/block/list", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudGags(visit, in: "chatroomId").list(.block, form)
        }
    }

    private func addRooms(to router: inout Router) {
        self.on("chatroom/create", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudRooms(visit).create(form)
        }
        self.on("chatroom/create_new", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudRooms(visit).createNew(form)
        }
        self.on("chatroom/destroy", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudRooms(visit).destroy(form)
        }
        self.on("chatroom/query", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudRooms(visit).query(form)
        }
        self.on("chatroom/user/query", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudRooms(visit).listUsers(form)
        }
        self.on("chatroom/user/exist", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudRooms(visit).isUserThere(form)
        }
        self.on("chatroom/users/exist", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudRooms(visit).areUsersThere(form)
        }
        self.on("message/chatroom/publish", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudPublishing(visit).publishToRooms(form)
        }
    }

    private func addPast(to router: inout Router) {
        self.on("message/recall", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudRecall(visit).recall(form)
        }
        for (name, kind) in [("private", RongCloudTarget.Kind.direct), ("group", .group), ("chatroom", .room)] {
            self.onBody("v3/message/\(name)/query", &router) { visit, body throws(RongCloudProblem) in
                try RongCloudPast(visit).query(kind, body)
            }
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
        self.on("group/sync", &router) { visit, form throws(RongCloudProblem) in try RongCloudGroups(visit).sync(form) }
        self.on("group/refresh", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudGroups(visit).refresh(form)
        }
        self.on("group/user/query", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudGroups(visit).listMembers(form)
        }
    }

    func on(_ name: String, _ router: inout Router, _ work: @escaping Work) {
        self.onBody(name, &router) { visit, body throws(RongCloudProblem) in
            guard let form = RongCloudForm(body) else {
                throw .wrong("the body must be UTF-8 with at most \(RongCloudForm.maximumItems) fields")
            }
            try work(visit, form)
        }
    }

    func onBody(
        _ name: String, _ router: inout Router,
        _ work: @escaping @Sendable (RongCloudVisit, [UInt8]) throws(RongCloudProblem) -> Void
    ) {
        router.on(.post, "/\(name).json") { exchange, _ in
            guard self.site.isHome(exchange) else { return }
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
