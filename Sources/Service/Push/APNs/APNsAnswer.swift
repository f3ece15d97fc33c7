internal import JSON
internal import Vocabulary

extension PushAnswer {
    /// From where waits grow while Apple's service is busy or down.
    static let firstAPNsWait = Duration.seconds(10)

    /// What an answer of Apple's push service means.
    ///
    /// - Parameter since: when the device was registered.
    init(apns status: UInt16, retryAfter: String?, _ body: [UInt8], since: WallTime) {
        let form = try? JSONObject(body.span)
        let reason = Self.word(form?["reason", .text])
        let trouble = "APNs answered \(status)\(reason.map { " \($0)" } ?? "")"
        switch (status, reason) {
        case (200...299, _): self = .taken
        // It was gone at a time; whoever registered it after that knows better.
        case (410, _):
            let end = form?["timestamp", .integer].map { WallTime(milliseconds: Int64($0)) }
            self = end.map { $0 < since } ?? false ? .refused(trouble: trouble) : .gone
        case (400, "BadDeviceToken"): self = .gone
        case (403, "ExpiredProviderToken"), (403, "InvalidProviderToken"): self = .accessRefused(trouble: trouble)
        case (413, _): self = .tooLarge
        case (408, _), (429, _), (500...599, _):
            self = .later(retryAfter: Self.wait(retryAfter), firstWait: Self.firstAPNsWait, trouble: trouble)
        // What is left is our mistake, or the operator's.
        default: self = .refused(trouble: trouble)
        }
    }
}
