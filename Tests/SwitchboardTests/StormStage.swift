import Conversing
import Keeping
import Operations
import Reactor
import SQLiteStore
import Vocabulary

@testable import Switchboard

/// A chat desk on a loop of its own, and a listener for each device that is connected. What it answers and what they
/// hear is one list, in the order in which it happened.
final class StormStage: @unchecked Sendable {
    // Unchecked because all that changes is touched on the loop only.
    enum Question: Sendable {
        case change(ChangeRequest)
        case create(CreationRequest)
        case mark(MarkRequest)
        case sync(device: Int, SyncRequest)
        case fetch(device: Int, HistoryRequest)
        case drop(device: Int)
        case block(UserID, UserID, Bool)
    }

    enum Answer: Sendable {
        case outcome(Result<ChangeOutcome, RequestError>)
        case marked(Result<Marked, RequestError>)
        case synced(Result<Synced, RequestError>)
        case page(Result<EntryPage, RequestError>)
        case nothing
    }

    enum Record: Sendable {
        case answered(Int, Answer)
        case heard(device: Int, ChangeOutcome)
    }

    let store: SQLiteStore
    private let group: EventLoopGroup
    private var desk: ChatService?
    private var ears: [Int: Ear] = [:]
    private var records: [Record] = []
    private var waiting = 0
    private var done: (([Record]) -> Void)?

    init(path: String) throws {
        self.store = try SQLiteStore(path: path)
        self.group = try EventLoopGroup(count: 1)
    }

    /// Asks everything at once, as it comes from many people, and waits for all the answers.
    func play(_ questions: [Question]) async -> [Record] {
        await withCheckedContinuation { continuation in
            self.group.loops[0].execute { reactor in
                let desk = self.desk ?? ChatService(self.store, on: reactor) { ChatStorm.now }
                self.desk = desk
                self.waiting = questions.count
                self.done = { continuation.resume(returning: $0) }
                for (index, question) in questions.enumerated() { self.ask(question, index, desk) }
            }
        }
    }

    /// Nothing is being asked any more.
    func close() async {
        await withCheckedContinuation { continuation in
            self.group.loops[0].execute { _ in
                self.ears = [:]
                self.desk = nil
                continuation.resume()
            }
        }
        self.store.close()
        self.group.shutDown()
    }

    private func ask(_ question: Question, _ index: Int, _ desk: ChatService) {
        switch question {
        case .change(let request): desk.change(request, isByServer: true) { self.answered(index, .outcome($0)) }
        case .create(let request): desk.create(request, isByServer: true) { self.answered(index, .outcome($0)) }
        case .mark(let request): desk.mark(request) { self.answered(index, .marked($0)) }
        case .fetch(_, let request): desk.ask(request, isPatient: true) { self.answered(index, .page($0)) }
        case .block(let user, let other, let isBlocked):
            desk.setBlocked(isBlocked, other, by: user) { _ in self.answered(index, .nothing) }
        case .sync(let device, let request):
            let ear = Ear(request.user) { self.records.append(.heard(device: device, $0)) }
            self.ears[device] = ear
            desk.listen(ear, request, isAlive: { self.ears[device] === ear }) { self.answered(index, .synced($0)) }
        case .drop(let device):
            if let ear = self.ears.removeValue(forKey: device) { desk.stopListening(ear) }
            self.answered(index, .nothing)
        }
    }

    private func answered(_ index: Int, _ answer: Answer) {
        self.records.append(.answered(index, answer))
        self.waiting -= 1
        guard self.waiting == 0, let done = self.done.take() else { return }
        let records = self.records
        self.records = []
        done(records)
    }
}

/// What a device hears of entries.
private final class Ear: ChatListener {
    let user: UserID
    private let heard: (ChangeOutcome) -> Void

    init(_ user: UserID, heard: @escaping (ChangeOutcome) -> Void) {
        self.user = user
        self.heard = heard
    }

    func hear(_ news: ChatNews) {
        if let outcome = news.outcome { self.heard(outcome) }
    }
}
