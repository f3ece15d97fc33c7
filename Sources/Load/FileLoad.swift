internal import Client
internal import Pathways
internal import Reactor
internal import Vocabulary
internal import Web

/// Users bring files, fetch them again, and look whether they are the same.
final class FileLoad: LoadActivity {
    private unowned let run: LoadRun
    private let plan: LoadPlan
    private let reactor: Reactor
    private var pace: LoadPace
    private var next = 0
    private var waiting = 0
    private var isOver = false
    private static let timeout = Duration.seconds(60)

    init(_ run: LoadRun, on reactor: Reactor) {
        self.run = run
        self.plan = run.plan
        self.reactor = reactor
        self.pace = LoadPace(perSecond: run.plan.files)
    }

    func begin(at now: Instant) {}

    func ticked(at now: Instant) {
        let due = self.pace.due(at: now)
        guard !self.isOver, !self.run.present.isEmpty else { return }
        for _ in 0..<due { self.bring() }
    }

    /// No two are the same: what a server has already is not brought again.
    private func content(_ number: Int) -> [UInt8] {
        let head = Array("load \(self.run.name) \(number)\n".utf8)
        return head
            + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: max(0, self.plan.fileBytes - head.count))
    }

    private func bring() {
        let user = self.run.present[self.next % self.run.present.count]
        let (content, since) = (self.content(self.next), SteadyClock.now)
        self.next += 1
        self.waiting += 1
        let length: [(HTTPFieldName, String)] = [("Upload-Length", "\(content.count)")]
        self.ask(.post, "/v1/uploads", length, [], by: user) { answer in
            guard let place = answer.fields[.location].flatMap({ $0.split(separator: "/").last }) else {
                return self.failed("upload: the server names no place")
            }
            self.send(content, to: String(place), by: user, since)
        }
    }

    private func send(_ content: [UInt8], to place: String, by user: LoadUser, _ since: Instant) {
        let fields: [(HTTPFieldName, String)] = [
            ("Upload-Offset", "0"), (.contentType, "application/offset+octet-stream"),
        ]
        self.ask(.patch, "/v1/uploads/\(place)", fields, content, by: user) { _ in
            self.run.took(.upload, since: since)
            self.run.count(.files)
            self.fetch(content, from: place, by: user)
        }
    }

    private func fetch(_ content: [UInt8], from place: String, by user: LoadUser) {
        let since = SteadyClock.now
        self.ask(.get, "/v1/files/\(place)/content", [], [], by: user) { answer in
            self.run.took(.download, since: since)
            if answer.body != content { self.run.count(.damaged) }
            self.waiting -= 1
        }
    }

    private func ask(
        _ method: HTTPMethod, _ target: String, _ more: [(HTTPFieldName, String)], _ body: [UInt8], by user: LoadUser,
        then: @escaping (HTTPCall.Answer) -> Void
    ) {
        var fields = HTTPFields()
        for (name, value) in [(.authorization, "Bearer \(user.token)"), ("Tus-Resumable", "1.0.0")] + more {
            fields.append(name, value)
        }
        let rules = HTTPCallRules(maximumBodyBytes: self.plan.fileBytes + 65_536)
        HTTPCall(self.plan.server, on: self.reactor, rules: rules) { outcome in
            switch outcome {
            case .failure(let failure): self.failed("file: \(failure)")
            case .success(let answer) where answer.status.isSuccess: then(answer)
            case .success(let answer):
                self.failed("file: \(target.split(separator: "/")[1]) was answered \(answer.status)")
            }
        }.send(method, target, fields: fields, body: body, timeout: Self.timeout)
    }

    private func failed(_ words: String) {
        self.waiting -= 1
        self.run.complain(words)
    }

    func heard(_ event: ParleyEvent, by user: LoadUser) {}
    func stop() { self.isOver = true }
    var isSettled: Bool { self.waiting == 0 }
    func end() {}
}
