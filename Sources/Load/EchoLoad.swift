internal import Client
internal import JSON
internal import Pathways
internal import Vocabulary

/// Users send events that any Socket.IO server acknowledges: what a neighbour's link costs beside ours.
final class EchoLoad: LoadActivity {
    private unowned let run: LoadRun
    private let event: String
    private let filler: String
    private var pace: LoadPace
    private var next = 0
    private var waiting = 0
    private var isOver = false

    init(_ run: LoadRun) {
        self.run = run
        self.event = run.plan.echoEvent
        self.filler = String(repeating: "x", count: max(0, run.plan.echoBytes))
        self.pace = LoadPace(perSecond: run.plan.echoes)
    }

    func begin(at now: Instant) {}

    func ticked(at now: Instant) {
        let due = self.pace.due(at: now)
        guard !self.isOver, !self.run.present.isEmpty else { return }
        for _ in 0..<due { self.send() }
    }

    private func send() {
        let user = self.run.present[self.next % self.run.present.count]
        self.next += 1
        let since = SteadyClock.now
        self.waiting += 1
        user.request(named: self.event, RawJSON { $0.field("text", self.filler) }) { result in
            self.waiting -= 1
            switch result {
            case .failure(let error): self.run.complain("echo: \(error)")
            case .success:
                self.run.took(.echo, since: since)
                self.run.count(.echoes)
            }
        }
    }

    func heard(_ event: ParleyEvent, by user: LoadUser) {}
    func stop() { self.isOver = true }
    var isSettled: Bool { self.waiting == 0 }
    func end() {}
}
