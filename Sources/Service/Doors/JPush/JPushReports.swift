internal import JSON
internal import Keeping
internal import Web

/// What became of pushes: `/v3/received`, `/v3/status/message` and `/v3/messages`.
struct JPushReports {
    let visit: JPushVisit

    private static let maximumNumbers = 100
    private static let maximumDevices = 1000

    init(_ visit: JPushVisit) { self.visit = visit }

    /// What this server knows of one push and one platform.
    fileprivate struct Tally {
        var target = 0
        /// A push service took it. What comes behind that is between it and the device.
        var taken = 0
        var clicked = 0
        /// Its device said that it came; nil where none did, for many say nothing.
        var received: Int?

        init(_ counts: [AnnouncementCount], _ platform: JPushPlatform) {
            for count in counts where count.platform == platform.rawValue {
                self.target += count.devices
                self.clicked += count.clicked
                if [.accepted, .received].contains(count.event) { self.taken += count.devices }
                if count.event == .received { self.received = (self.received ?? 0) + count.devices }
            }
        }
    }

    // MARK: - Numbers

    func listReceived() throws(JPushProblem) {
        try self.count { json, android, ios in
            json.field("android_received", android.taken)
            json.members(ios: ios)
        }
    }

    func listReceivedInDetail() throws(JPushProblem) {
        try self.count { json, android, ios in
            json.field("jpush_received", android.taken)
            json.nullable("android_pns_sent", Int?.none)
            json.members(ios: ios)
        }
    }

    func listMessages() throws(JPushProblem) {
        try self.count { json, android, ios in
            json.object("android") { json in
                json.field("target", android.target)
                json.field("online_push", android.taken)
                json.field("received", android.taken)
                json.field("click", android.clicked)
                json.nullable("msg_click", Int?.none)
            }
            json.object("ios") { json in
                json.field("apns_target", ios.target)
                json.field("apns_sent", ios.taken)
                json.nullable("apns_received", ios.received)
                json.field("click", ios.clicked)
                json.nullable("target", Int?.none)
                json.nullable("received", ios.received)
            }
            json.nullable("winphone", Int?.none)
        }
    }

    /// Pushes that nobody knows are left out.
    private func count(_ write: @escaping (inout JSONWriter, Tally, Tally) -> Void) throws(JPushProblem) {
        let numbers = try self.numbers
        self.visit.ask(CountReceipts(of: numbers, from: self.visit.key)) { found in
            let json = JSONWriter.bytes { json in
                json.array { json in
                    for number in numbers {
                        guard let counts = found[number] else { continue }
                        json.object { json in
                            json.field("msg_id", "\(number)")
                            write(&json, Tally(counts, .android), Tally(counts, .ios))
                        }
                    }
                }
            }
            self.visit.answer(json: json)
        }
    }

    private var numbers: [Int64] {
        get throws(JPushProblem) {
            let texts = (self.visit.query?["msg_ids"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            let numbers = texts.compactMap { Int64($0) }
            guard numbers.count == texts.count, (1...Self.maximumNumbers).contains(numbers.count) else {
                throw .wrongReport("'msg_ids' must have 1 to \(Self.maximumNumbers) numbers with commas between them")
            }
            return numbers
        }
    }

    // MARK: - One push on some devices

    func viewStatus(_ body: [UInt8]) throws(JPushProblem) {
        guard let object = LooseObject(body), let number = object.pushNumber("msg_id") else {
            throw .wrongReport("'msg_id' must be a number")
        }
        let texts = object["registration_ids"].flatMap {
            JSONType<String>.text.list(maximum: Self.maximumDevices).read(proven: $0)
        }
        guard let texts, !texts.isEmpty else {
            throw .wrongReport("'registration_ids' must have 1 to \(Self.maximumDevices) texts")
        }
        let registrations = texts.compactMap { RegistrationID($0) }
        self.visit.ask(ViewReceipts(of: number, on: registrations)) { found in
            self.visit.answer { json in
                for text in Set(texts).sorted() {
                    let receipt = RegistrationID(text).flatMap { found[$0] }
                    json.object(text) { $0.field("status", Self.status(of: receipt)) }
                }
            }
        }
    }

    private static func status(of receipt: AnnouncementReceipt??) -> Int {
        enum Status: Int { case delivered, notDelivered, unknownDevice, noTarget, trouble }
        let status: Status =
            switch receipt {
            case nil: .unknownDevice
            case .some(nil): .noTarget
            case .some(.some(let receipt)):
                switch receipt.event {
                case .accepted, .delivered, .received, .clicked: .delivered
                case .failed, .refused: .trouble
                case .held, .silenced, .queued, .sent, .gone, .expired, .replaced, .withdrawn: .notDelivered
                }
            }
        return status.rawValue
    }
}

extension JSONWriter {
    /// What is counted for Apple's devices; null is what nobody tells this server.
    fileprivate mutating func members(ios: JPushReports.Tally) {
        self.field("ios_apns_sent", ios.taken)
        self.nullable("ios_apns_received", ios.received)
        self.nullable("ios_msg_received", Int?.none)
        self.nullable("wp_mpns_sent", Int?.none)
    }
}
