internal import Calling
internal import Conversing
internal import JSON

/// What a notification says by itself, where it shows no words of the sender's: this is the one table of it. Whoever carries
/// pushes, and the page's worker too, say what stands here, in the language of the device.
enum PushText: Hashable, Sendable, CaseIterable {
    /// Of which no more is said, or of a kind that only its programs know.
    case message
    case image, voice, video, file, location, card, mixed, emotion, notice
    // How a call went, as its conversation keeps it.
    case callCompleted, callMissed, callDeclined, callBroken
    // A call that rings.
    case incomingCall, incomingAudioCall, incomingVideoCall
    case test

    /// In which languages all of this can be said. The first part of a device's tag chooses (RFC 5646 §2.1).
    enum Language: String, CaseIterable {
        case english = "en"
        case chinese = "zh"

        /// - Parameter tag: such as `zh-Hans-CN`; English where there is none, or another.
        init(_ tag: String?) {
            let first = tag?.prefix { $0 != "-" && $0 != "_" }.lowercased()
            self = first.flatMap { Language(rawValue: $0) } ?? .english
        }
    }

    func text(in language: Language) -> String {
        let (english, chinese) = self.texts
        return switch language {
        case .english: english
        case .chinese: chinese
        }
    }

    private var texts: (english: String, chinese: String) {
        switch self {
        case .message: ("New message", "新消息")
        case .image: ("[Picture]", "[图片]")
        case .voice: ("[Voice message]", "[语音]")
        case .video: ("[Video]", "[视频]")
        case .file: ("[File]", "[文件]")
        case .location: ("[Location]", "[位置]")
        case .card: ("[Card]", "[名片]")
        case .mixed: ("[Message with attachments]", "[图文]")
        case .emotion: ("[Emotion]", "[表情]")
        case .notice: ("[Notice]", "[通知]")
        case .callCompleted: ("[Call]", "[通话]")
        case .callMissed: ("Missed call", "未接来电")
        case .callDeclined: ("Call declined", "已拒绝通话")
        case .callBroken: ("Call interrupted", "通话中断")
        case .incomingCall: ("Incoming call", "来电")
        case .incomingAudioCall: ("Incoming voice call", "语音来电")
        case .incomingVideoCall: ("Incoming video call", "视频来电")
        case .test: ("Notifications arrive.", "通知可以送达。")
        }
    }
}

// MARK: - What there is to say

extension PushText {
    /// Of a message of this kind that has no words.
    init(_ kind: MessageKind?, _ body: MessageBody?) {
        switch kind {
        case .image?: self = .image
        case .voice?: self = .voice
        case .video?: self = .video
        case .file?: self = .file
        case .location?: self = .location
        case .card?: self = .card
        case .mixed?: self = .mixed
        case .emotion?: self = .emotion
        case .notice?: self = .notice
        case .call?: self = body.map { PushText(callIn: $0) } ?? .callCompleted
        default: self = .message
        }
    }

    private init(callIn body: MessageBody) {
        let outcome = JSONObject(proven: body.json.span)["outcome", .text].flatMap { CallOutcome(rawValue: $0) }
        self = outcome.map { PushText($0) } ?? .callCompleted
    }

    /// For the callee.
    init(_ outcome: CallOutcome) {
        switch outcome {
        case .completed: self = .callCompleted
        case .busy, .cancelled, .noAnswer, .offline: self = .callMissed
        case .declined: self = .callDeclined
        case .lost, .failed, .serverRestarted: self = .callBroken
        }
    }

    /// Of a call that rings.
    init(_ kind: CallKind) {
        switch kind {
        case .audio: self = .incomingAudioCall
        case .video: self = .incomingVideoCall
        }
    }

    /// All that may be said of a push that others on its way cannot open; nil where it shows nothing.
    /// - Parameter type: the kind of its subject.
    init?(sealed type: String?) {
        switch type {
        case "message": self = .message
        case "call": self = .incomingCall
        case "test": self = .test
        default: return nil
        }
    }
}
