package import Vocabulary

/// One thing that happened to a push on its way, for whoever asks why it did not come.
package struct PushEvent: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Its user is online and has time to say that the message came.
        case held
        /// They said so, or read it: nobody is woken.
        case delivered
        /// It is the device's quiet time, in which no call rings there.
        case silenced
        /// It waits for its turn.
        case queued
        /// A request with it is on its way to the push service.
        case sent
        /// The push service took it. What comes behind that is between it and the device.
        case accepted
        /// The push service could not take it; it is tried again.
        case failed
        /// The push service does not take it.
        case refused
        /// The push service does not know the device any more, which was dropped.
        case gone
        /// It was not worth being delivered any more.
        case expired
        /// A later one about the same took its place.
        case replaced
        /// What it told of is not true any more, and it had not left.
        case withdrawn
        /// The device's program said that it came.
        case received
        /// Its user chose the notification.
        case clicked

        /// More happens to it behind this one.
        package var isStep: Bool {
            switch self {
            case .held, .queued, .sent, .failed: true
            case .delivered, .silenced, .accepted, .refused, .gone, .expired, .replaced, .withdrawn, .received,
                .clicked:
                false
            }
        }
    }

    /// What a push tells of.
    package struct Subject: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            case message, read, call, callOver, test
            /// What a program on another server said, and that it takes it back.
            case announcement, announcementOver
        }

        package let kind: Kind
        /// A conversation, or a call.
        package let place: String?
        /// A message in the conversation.
        package let entry: UInt64?

        package init(_ kind: Kind, in place: String? = nil, entry: UInt64? = nil) {
            self.kind = kind
            self.place = place
            self.entry = entry
        }
    }

    /// By which the steps of one push are found.
    package let push: RandomToken
    package let user: UserID
    /// Nil as long as it concerns all of the user's devices.
    package let device: DeviceID?
    package let subject: Subject
    package let kind: Kind
    package let time: WallTime
    /// What the push service answered.
    package let status: Int?
    package let reason: String?

    package init(
        _ kind: Kind, of push: RandomToken, for user: UserID, on device: DeviceID?, about subject: Subject,
        at time: WallTime, status: Int? = nil, reason: String? = nil
    ) {
        self.kind = kind
        self.push = push
        self.user = user
        self.device = device
        self.subject = subject
        self.time = time
        self.status = status
        self.reason = reason
    }
}
