internal import HTTPServer
internal import Vocabulary

/// Addresses of what programs settle for users, groups and rooms, and of what is said to many.
struct RongCloudSettingRoutes: Sendable {
    let routes: RongCloudRoutes

    func add(to router: inout Router) {
        self.addLists(to: &router)
        self.addSilences(to: &router)
        self.addTags(to: &router)
        self.addEntries(to: &router)
        self.addArrangements(to: &router)
        self.addManyAtOnce(to: &router)
        self.addStatus(to: &router)
        self.addWords(to: &router)
    }

    /// Each with what adds, what takes away and what lists.
    private static let lists: [(path: String, verbs: [String], list: RongCloudList)] = [
        ("user/whitelist", ["add", "remove", "query"], .trusted),
        ("group/user/ban/whitelist", ["add", "rollback", "query"], .groupVoices),
        ("chatroom/user/ban/whitelist", ["add", "rollback", "query"], .roomVoices),
        ("chatroom/user/whitelist", ["add", "remove", "query"], .favoured),
        ("chatroom/ban", ["add", "rollback", "query"], .silentRooms),
        ("chatroom/message", ["stopDistribution", "resumeDistribution", "stoppedDistribution/query"], .stoppedRooms),
        ("chatroom/message/priority", ["add", "remove", "query"], .lesserTypes),
        ("chatroom/whitelist", ["add", "delete", "query"], .favouredTypes),
        ("chatroom/keepalive", ["add", "remove", "query"], .keptRooms),
        ("group/ban", ["add", "rollback"], .silentGroups),
    ]

    private func addLists(to router: inout Router) {
        for (path, verbs, list) in Self.lists {
            for (verb, work) in zip(verbs, [list.add, list.remove, list.query]) {
                self.routes.on("\(path)/\(verb)", &router) { visit, form throws(RongCloudProblem) in
                    try work(visit, form)
                }
            }
        }
        self.routes.on("group/ban/query", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudSilences(visit).listGroups(form)
        }
    }

    private func addSilences(to router: inout Router) {
        let book = RongCloudBook.silencedInRooms
        self.routes.on("chatroom/user/ban/add", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudSilences(visit).add(to: book, form)
        }
        for verb in ["remove", "rollback"] {
            self.routes.on("chatroom/user/ban/\(verb)", &router) { visit, form throws(RongCloudProblem) in
                try RongCloudSilences(visit).remove(from: book, form)
            }
        }
        self.routes.on("chatroom/user/ban/query", &router) { visit, _ in RongCloudSilences(visit).list(book) }
    }

    private func addTags(to router: inout Router) {
        self.routes.onBody("user/tag/set", &router) { visit, body throws(RongCloudProblem) in
            try RongCloudTags(visit).set(body, ofMany: false)
        }
        self.routes.onBody("user/tag/batch/set", &router) { visit, body throws(RongCloudProblem) in
            try RongCloudTags(visit).set(body, ofMany: true)
        }
        self.routes.on("user/tags/get", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudTags(visit).get(form)
        }
        for name in ["push", "push/custom"] {
            self.routes.onBody(name, &router) { visit, body throws(RongCloudProblem) in
                try RongCloudPushes(visit).push(body)
            }
        }
        self.routes.onBody("push/user", &router) { visit, body throws(RongCloudProblem) in
            try RongCloudPushes(visit).pushToUsers(body)
        }
    }

    private func addEntries(to router: inout Router) {
        self.routes.on("chatroom/entry/set", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudEntries(visit).set(form)
        }
        self.routes.on("chatroom/entry/batch/set", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudEntries(visit).setMany(form)
        }
        self.routes.on("chatroom/entry/query", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudEntries(visit).query(form)
        }
        self.routes.on("chatroom/entry/remove", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudEntries(visit).remove(form)
        }
        self.routes.on("chatroom/join", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudRooms(visit).join(form)
        }
        self.routes.on("message/expansion/set", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudExpansion(visit).set(form)
        }
        self.routes.on("message/expansion/delete", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudExpansion(visit).remove(form)
        }
        self.routes.on("message/expansion/query", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudExpansion(visit).query(form)
        }
    }

    private func addArrangements(to router: inout Router) {
        self.routes.on("conversation/notification/set", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudArrangements(visit).mute(form)
        }
        self.routes.on("conversation/notification/get", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudArrangements(visit).isMuted(form)
        }
        self.routes.on("conversation/message/history/clean", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudArrangements(visit).clear(form)
        }
        self.routes.on("user/blockPushPeriod/set", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudArrangements(visit).setQuietTime(form)
        }
        self.routes.on("user/blockPushPeriod/get", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudArrangements(visit).quietTime(form)
        }
        self.routes.on("user/blockPushPeriod/delete", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudArrangements(visit).removeQuietTime(form)
        }
    }

    private func addManyAtOnce(to router: inout Router) {
        for (name, isBySystem) in [("private", false), ("system", true)] {
            self.routes.onBody("message/\(name)/publish_template", &router) { visit, body throws(RongCloudProblem) in
                try RongCloudPublishing(visit).publishTemplate(body, bySystem: isBySystem)
            }
        }
        self.routes.on("message/discussion/publish", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudPublishing(visit).publishToGroups(form, "toDiscussionId")
        }
        self.routes.on("message/chatroom/broadcast", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudPublishing(visit).publishToAllRooms(form)
        }
        self.routes.on("message/broadcast", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudBroadcast(visit).publish(form)
        }
        self.routes.on("message/history", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudHours(visit).find(form)
        }
        self.routes.on("message/history/delete", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudHours(visit).forget(form)
        }
    }

    private func addStatus(to router: inout Router) {
        self.routes.on("statusmessage/private/publish", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudStatus(visit).publishToUsers(form)
        }
        self.routes.on("statusmessage/group/publish", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudStatus(visit).publishToGroups(form)
        }
        self.routes.on("statusmessage/chatroom/publish", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudStatus(visit).publishToGroups(form, "toChatroomId")
        }
        self.routes.on("message/online/broadcast", &router) { visit, form throws(RongCloudProblem) in
            try RongCloudStatus(visit).publishToAll(form)
        }
    }

    private func addWords(to router: inout Router) {
        for name in ["sensitiveword/add", "wordfilter/add"] {
            self.routes.on(name, &router) { visit, form throws(RongCloudProblem) in
                try RongCloudWordList(visit).add(form)
            }
        }
        for (name, field) in [
            ("sensitiveword/delete", "word"), ("wordfilter/delete", "word"), ("sensitiveword/batch/delete", "words"),
        ] {
            self.routes.on(name, &router) { visit, form throws(RongCloudProblem) in
                try RongCloudWordList(visit).remove(form, field)
            }
        }
        for name in ["sensitiveword/list", "wordfilter/list"] {
            self.routes.on(name, &router) { visit, form throws(RongCloudProblem) in
                try RongCloudWordList(visit).list(form)
            }
        }
    }
}
