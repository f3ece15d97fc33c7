import Bytes
import Client
import JSON
import Vocabulary

/// A client whose server says whatever it likes, in frames of its own: the session never stops the program, has one end, wants
/// nothing after it, and what it tells can be read and counted.
enum ClientFuzz {
    @Sendable static func run(_ bytes: [UInt8]) {
        var input = ByteReader(bytes.span)
        var story = Story()
        story.begin(isLetIn: bytes.first.map { $0 & 1 == 1 } ?? false)
        while let deed = try? input.read(UInt8.self), let count = try? input.read(UInt8.self) {
            story.go(deed, with: (try? input.array(min(Int(count), input.remaining))) ?? [])
        }
        story.finish()
    }

    private struct Story: ~Copyable {
        private var session = ClientSession(token: "t", random: Dice(state: 1))
        private var outbox = ClientOutbox()
        private var now = Instant(nanoseconds: 0)
        private var asked = 0
        private var open: Set<Int> = []
        private var ends = 0
        private var reader = Listener()

        private static let opening =
            #"0{"sid":"AAAAAAAAAAAAAAAAAAAA","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#
        private static let welcome = #"40{"sid":"BBBBBBBBBBBBBBBBBBBB","pid":"CCCCCCCCCCCCCCCCCCCC"}"#

        mutating func begin(isLetIn: Bool) {
            self.session.start(at: self.now, &self.outbox)
            if isLetIn { self.enter() }
            self.empty()
        }

        private mutating func enter() {
            self.session.transportOpened()
            for frame in [Self.opening, Self.welcome] { self.hear(Array(frame.utf8)) }
        }

        mutating func go(_ deed: UInt8, with bytes: [UInt8]) {
            switch deed % 10 {
            case 0: self.hear(bytes)
            case 1: self.hear(Array("42".utf8) + bytes)
            case 2: self.hear(Array("43\(self.asked)".utf8) + bytes)
            case 3: self.ask(bytes)
            case 4: self.session.transportOpened()
            case 5: self.session.transportEnded(.closedByServer(nil), at: self.now, &self.outbox)
            case 6: self.enter()
            case 7:
                self.hear(
                    Array(#"42["chat.entry",{"conversation":"c","id":"i","type":"message","from":"u""#.utf8) + bytes)
            case 8 where deed > 200: self.session.stop(&self.outbox)
            default: self.wait(.milliseconds(bytes.count * bytes.count))
            }
            self.empty()
        }

        private mutating func hear(_ frame: [UInt8]) { self.session.received(frame.span, at: self.now, &self.outbox) }

        private mutating func ask(_ bytes: [UInt8]) {
            let argument = RawJSON(bytes) ?? RawJSON { _ in }
            guard let id = try? self.session.request("x", argument, at: self.now, &self.outbox) else { return }
            self.asked = id
            self.open.insert(id)
        }

        private mutating func wait(_ duration: Duration) {
            self.now = self.now + duration
            for _ in 0..<50 {
                guard let deadline = self.session.nextDeadline, deadline <= self.now else { return }
                self.session.clockAdvanced(to: self.now, &self.outbox)
            }
            demand(self.session.nextDeadline.map { $0 > self.now } ?? true, "a deadline does not move")
        }

        private mutating func empty() {
            for order in self.outbox.orders {
                guard case .tell(let news) = order else { continue }
                switch news {
                case .answered(let id, let answer):
                    demand(self.open.remove(id) != nil, "an answer came twice, or to nothing")
                    self.reader.answered(answer)
                case .unanswered(let id, _): demand(self.open.remove(id) != nil, "a request ended twice")
                case .event(let name, let argument): self.reader.heard(ParleyEvent(name, argument))
                case .ended: self.ends += 1
                case .arrived, .away: break
                }
            }
            self.outbox.orders = []
            demand(self.ends <= 1 && (self.ends == 1) == (self.session.failure != nil), "it ended twice, or in silence")
        }

        mutating func finish() {
            self.session.stop(&self.outbox)
            self.empty()
            demand(self.ends == 1 && self.open.isEmpty, "a request was forgotten")
            demand(self.session.nextDeadline == nil, "it wants something after its end")
        }
    }

    /// Who reads what comes, as a screen does.
    private struct Listener {
        private var inbox = UserID("me").map { Inbox(of: $0) }
        private var latest = LatestEntries()
        private var runs = SenderRuns()

        mutating func heard(_ event: ParleyEvent) {
            switch event {
            case .entry(let entry):
                self.inbox?.heard(entry)
                _ = self.latest.added(entry)
                self.runs.append(entry)
            case .receipt(let receipt): self.inbox?.heard(receipt)
            default: return
            }
            self.check()
        }

        mutating func answered(_ answer: RawJSON) {
            for view in answer.list("conversations") ?? [] {
                if let view = ChatView(view) { self.inbox?.took(view) }
            }
            let entries = (answer.list("entries") ?? []).compactMap { ChatEntry($0) }
            self.latest.took(entries)
            self.check()
        }

        private func check() {
            guard let inbox = self.inbox else { return }
            demand(inbox.badge >= 0 && inbox.elsewhere == (inbox.badge, inbox.elsewhere.conversations), "a wrong sum")
            demand(self.latest.entries.count <= self.latest.limit, "too much is kept")
        }
    }
}
