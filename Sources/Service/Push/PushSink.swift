internal import Client
internal import Keeping
internal import Secure
internal import Vocabulary
internal import Web

/// Carries pushes to one kind of devices, one attempt each. When to try again is the queue's business.
protocol PushSink: AnyObject {
    /// - Parameter status: of the answer, if there was one.
    typealias Completion = (_ answer: PushAnswer, _ status: UInt16?) -> Void

    /// Calls `completion` once, unless it throws.
    func send(_ push: OutgoingPush, _ completion: @escaping Completion) throws(PushRefusal)
}

/// One push as it leaves: to whom, what, and how urgent it is.
struct OutgoingPush: Sendable {
    let device: PushDevice
    /// A JSON object.
    let plain: [UInt8]
    /// The same for all attempts at this push.
    let id: RandomToken
    /// Of those about the same, the last one counts.
    let topic: String
    let urgency: PushSender.Urgency
    /// In seconds.
    let life: Int64

    /// What only the device's program can open (RFC 8291); nil where it registered no keys.
    var sealed: [UInt8]? {
        get throws(PushRefusal) {
            guard !self.device.secret.isEmpty else { return nil }
            return try PushCipher(of: self.device).sealed(self.plain)
        }
    }
}

/// Kinds of devices, by who wakes them.
enum PushKind: String, CaseIterable {
    case webpush, fcm, apns

    init(_ device: PushDevice) {
        if FCMToken(endpoint: device.endpoint) != nil {
            self = .fcm
        } else if APNsToken(endpoint: device.endpoint) != nil {
            self = .apns
        } else {
            self = .webpush
        }
    }
}

/// What a push service's answer means.
enum PushAnswer: Hashable, Sendable {
    case taken
    /// Nobody has this address any more.
    case gone
    /// What proves who we are was refused; a fresh one may do.
    case accessRefused(trouble: String)
    case tooLarge
    case refused(trouble: String)
    /// - Parameters:
    ///   - retryAfter: what the service asked for.
    ///   - firstWait: from where waits grow otherwise.
    case later(retryAfter: Duration?, firstWait: Duration? = nil, trouble: String)

    static func failed(_ failure: LinkFailure) -> PushAnswer { .later(retryAfter: nil, trouble: "\(failure)") }

    /// How long to wait by the field `Retry-After`, which has seconds or a date (RFC 9110 §10.2.3).
    static func wait(_ field: String?, at now: WallTime = SystemClock.now()) -> Duration? {
        guard let field else { return nil }
        if let seconds = Int64(field) { return .seconds(max(0, seconds)) }
        return HTTPDate.parse(field).map { .seconds(max(0, Int64($0) - now.seconds)) }
    }

    private static let maximumWordBytes = 64

    /// What a service says is shown to people: nothing but a word.
    static func word(_ text: String?) -> String? {
        guard let text, (1...Self.maximumWordBytes).contains(text.utf8.count) else { return nil }
        let isWord = text.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "_")
        }
        return isWord ? text : nil
    }
}

/// Why a push cannot be sent at all.
struct PushRefusal: Error {
    let words: String

    init(_ words: String) { self.words = words }
}

extension PushCipher {
    init(of device: PushDevice) throws(PushRefusal) {
        do throws(SecureError) {
            try self.init(publicKey: device.publicKey, secret: device.secret)
        } catch {
            throw PushRefusal("\(error)")
        }
    }

    func sealed(_ message: [UInt8]) throws(PushRefusal) -> [UInt8] {
        do throws(SecureError) {
            return try self.seal(message)
        } catch {
            throw PushRefusal("\(error)")
        }
    }
}
