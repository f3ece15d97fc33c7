internal import HTTPServer
internal import JSON
internal import Keeping
internal import Vocabulary
internal import Web

/// `/v3/schedules`: pushes that are made later.
struct JPushSchedules {
    let visit: JPushVisit

    private static let pageLength = 50
    private static let maximumPushes = 1000

    init(_ visit: JPushVisit) { self.visit = visit }

    func make(_ body: [UInt8]) throws(JPushProblem) {
        let plan = try self.plan(body)
        guard plan.isEnabled else { throw .wrongSchedule("'enabled' must be true at first") }
        try self.check(plan)
        let id = plan.id(of: self.visit.key)
        self.find(id) { first in
            let isRepeated = first.map { SystemClock.now() < $0.created + MakeAnnouncement.memory } ?? false
            if let first, isRepeated { return self.answer(first.id, (try? JPushSchedule(first.content))?.name ?? "") }
            self.put(plan, id, created: SystemClock.now()) { _ in self.answer(id, plan.name) }
        }
    }

    private func answer(_ id: String, _ name: String) {
        self.visit.answer { json in
            json.field("schedule_id", id)
            json.field("name", name)
        }
    }

    /// What is wrong with a push is wrong with its schedule.
    private func plan(_ body: [UInt8], over old: JPushSchedule? = nil) throws(JPushProblem) -> JPushSchedule {
        do throws(JPushProblem) {
            return try JPushSchedule(body, over: old)
        } catch {
            throw .wrongSchedule(error.message)
        }
    }

    private func check(_ plan: JPushSchedule) throws(JPushProblem) {
        do throws(JPushProblem) {
            try plan.trigger.check(at: SystemClock.now())
        } catch {
            throw .wrongSchedule(error.message)
        }
    }

    private func put(
        _ plan: JPushSchedule, _ id: String, created: WallTime, _ done: @escaping (PushSchedule) -> Void
    ) {
        let next = plan.next(after: SystemClock.now())
        let schedule = PushSchedule(id, from: self.visit.key, plan.content, next: next, created: created)
        self.visit.ask(PutPushSchedule(schedule)) { hasRoom in
            guard hasRoom else {
                let rule = "at most \(PutPushSchedule.maximumWaiting) that wait, \(PutPushSchedule.maximum) in all"
                return self.visit.refuse(.wrongSchedule("there are too many schedules: \(rule)"))
            }
            done(schedule)
            self.visit.scheduler?.wake()
        }
    }

    /// Sections that are said take the place of the old ones. What is over stays as it is.
    func change(_ body: [UInt8]) throws(JPushProblem) {
        self.findHere { schedule in
            self.visit.attempt { () throws(JPushProblem) in
                let old = try self.plan(schedule.content)
                guard old.trigger.next(after: SystemClock.now()) != nil else {
                    throw .wrongSchedule("its time is over")
                }
                let new = try self.plan(body, over: old)
                guard new.trigger.isSingle == old.trigger.isSingle else {
                    throw .wrongSchedule("'single' cannot become 'periodical', nor the other way round")
                }
                try self.check(new)
                self.put(new, schedule.id, created: schedule.created) { changed in
                    self.visit.answer { $0.members(of: changed) }
                }
            }
        }
    }

    func view() { self.findHere { schedule in self.visit.answer { $0.members(of: schedule) } } }

    func remove() {
        let id = self.visit.parameters["schedule"] ?? ""
        self.visit.ask(RemovePushSchedule(id, of: self.visit.key)) { wasThere in
            if wasThere { self.visit.answerNothing() } else { self.visit.refuse(.noSchedule) }
        }
    }

    func list() throws(JPushProblem) {
        guard let page = Int(self.visit.query?["page"] ?? "1"), (1...PutPushSchedule.maximum).contains(page) else {
            throw .wrongSchedule("'page' must be a number from 1")
        }
        self.visit.ask(ListPushSchedules(of: self.visit.key)) { schedules in
            self.visit.answer { json in
                json.field("total_count", schedules.count)
                json.field("total_pages", (schedules.count + Self.pageLength - 1) / Self.pageLength)
                json.field("page", page)
                let shown = schedules.dropFirst((page - 1) * Self.pageLength).prefix(Self.pageLength)
                json.array("schedules", of: Array(shown)) { json, schedule in
                    json.object { $0.members(of: schedule) }
                }
            }
        }
    }

    /// The pushes that it made; each is a text that contains JSON, as clients expect.
    func listPushes() {
        self.findHere { schedule in
            self.visit.ask(ListAnnouncementsOfSchedule(schedule.id, limit: Self.maximumPushes)) { numbers in
                self.visit.answer { json in
                    json.field("count", numbers.count)
                    json.array("msgids", of: numbers) { json, number in
                        let made = JSONWriter.object { $0.members(ofPush: number) }
                        json.string(String(decoding: made, as: UTF8.self))
                    }
                }
            }
        }
    }

    private func findHere(_ found: @escaping (PushSchedule) -> Void) {
        self.find(self.visit.parameters["schedule"] ?? "") { schedule in
            guard let schedule else { return self.visit.refuse(.noSchedule) }
            found(schedule)
        }
    }

    private func find(_ id: String, _ found: @escaping (PushSchedule?) -> Void) {
        self.visit.ask(FindPushSchedule(id, of: self.visit.key), found)
    }
}

extension JSONWriter {
    fileprivate mutating func members(of schedule: PushSchedule) {
        self.field("schedule_id", schedule.id)
        let object = LooseObject(schedule.content)
        for name in object?.names ?? [] {
            if let json = object?[name] { self.field(name, raw: json) }
        }
    }

    fileprivate mutating func members(ofPush number: Int64) {
        self.field("msg_id", "\(number)")
        self.object("error") { json in
            json.field("code", 0)
            json.field("message", "")
        }
        self.field("needRetry", false)
    }
}
