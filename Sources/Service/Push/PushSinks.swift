internal import Journal
internal import Reactor
internal import Secure
internal import Vocabulary

/// Who carries pushes to which kind of devices, as far as the operator has set it up.
///
/// They live on the loop in the background: thousands of pushes are sealed and their connections opened there, while messages
/// go on here, and a machine without a core to spare does the messages first.
struct PushSinks {
    /// In one order.
    let kinds: [PushKind]
    private let loop: EventLoop
    private let home: Reactor
    private let sinks: LoopLocal<PushSinkSet>

    private struct Outcome: Sendable {
        let answer: PushAnswer
        let status: UInt16?
    }

    init(
        _ settings: PushSettings, _ key: VAPIDKey, reaching addresses: AddressPolicy, on group: EventLoopGroup,
        home: Reactor, _ journal: Journal
    ) {
        self.kinds = PushKind.allCases.filter(settings.reaches)
        self.loop = group.background ?? home.loop
        self.home = home
        self.sinks = LoopLocal(group) { PushSinkSet(settings, key, reaching: addresses, on: $0, journal) }
    }

    /// Calls `completion` once, on the home loop.
    func send(_ push: OutgoingPush, _ completion: @escaping PushSink.Completion) {
        let answered = self.home.returning { (outcome: Outcome) in completion(outcome.answer, outcome.status) }
        let sinks = self.sinks
        self.loop.execute { reactor in
            sinks.value(on: reactor).send(push) { answered(Outcome(answer: $0, status: $1)) }
        }
    }
}

extension PushSettings {
    fileprivate func reaches(_ kind: PushKind) -> Bool {
        switch kind {
        case .webpush: true
        case .fcm: self.fcm != nil
        case .apns: self.apns != nil
        }
    }
}

/// The sinks of one loop. Another kind is a line here.
private final class PushSinkSet {
    private let sinks: [PushKind: any PushSink]

    init(
        _ settings: PushSettings, _ key: VAPIDKey, reaching addresses: AddressPolicy, on reactor: Reactor,
        _ journal: Journal
    ) {
        var sinks: [PushKind: any PushSink] = [.webpush: WebPushSink(key, reaching: addresses, on: reactor)]
        // Their keys were read once already, when the options were.
        sinks[.fcm] = settings.fcm.flatMap { try? FCMSender($0, on: reactor, journal) }
        sinks[.apns] = settings.apns.flatMap { try? APNsSink($0, on: reactor, journal) }
        self.sinks = sinks
    }

    func send(_ push: OutgoingPush, _ completion: @escaping PushSink.Completion) {
        do throws(PushRefusal) {
            let kind = PushKind(push.device)
            guard let sink = self.sinks[kind] else {
                throw PushRefusal("this server sends no pushes by \(kind.rawValue)")
            }
            try sink.send(push, completion)
        } catch {
            completion(.refused(trouble: error.words), nil)
        }
    }
}
