internal import JSON

extension PushAnswer {
    /// Where no other time is said, a quota is of a minute.
    static let quotaWait = Duration.seconds(60)
    static let firstFCMWait = Duration.seconds(10)

    /// What an answer of Firebase Cloud Messaging means.
    init(fcm status: UInt16, retryAfter: String?, _ body: [UInt8]) {
        let code = Self.code(body)
        let trouble = "FCM answered \(status)\(code.map { " \($0)" } ?? "")"
        let wait = Self.wait(retryAfter)
        switch (status, code) {
        case (200...299, _): self = .taken
        // A 404 of another code speaks of the project, not of the device.
        case (404, "UNREGISTERED"): self = .gone
        case (401, _): self = .accessRefused(trouble: trouble)
        case (413, _): self = .tooLarge
        case (429, _): self = .later(retryAfter: wait ?? Self.quotaWait, firstWait: nil, trouble: trouble)
        case (408, _), (500...599, _): self = .later(retryAfter: wait, firstWait: Self.firstFCMWait, trouble: trouble)
        default: self = .refused(trouble: trouble)
        }
    }

    private static let detailType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
    /// What FCM itself says, or else Google's word for the status.
    private static func code(_ body: [UInt8]) -> String? {
        guard let answer = try? JSONObject(body.span) else { return nil }
        let error = answer.object("error")
        var found = error["status", .text]
        if let details = error.value("details"), details.kind == .array {
            var walk = error.reader.elements(of: details)
            while let detail = walk.next() {
                let detail = JSONObject(found: detail, in: error.reader)
                guard detail["@type", .text] == self.detailType else { continue }
                found = detail["errorCode", .text] ?? found
            }
        }
        return Self.word(found)
    }
}
