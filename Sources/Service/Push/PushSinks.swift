internal import Journal
internal import Reactor
internal import Secure
internal import Vocabulary

/// Who carries pushes to which kind of devices, as far as the operator has set it up. Another kind is a line here.
struct PushSinks {
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

    /// In one order.
    var kinds: [PushKind] { PushKind.allCases.filter { self.sinks[$0] != nil } }

    func sink(for kind: PushKind) throws(PushRefusal) -> any PushSink {
        guard let sink = self.sinks[kind] else { throw PushRefusal("this server sends no pushes by \(kind.rawValue)") }
        return sink
    }
}
