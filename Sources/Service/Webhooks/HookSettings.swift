package import Client

/// Other programs that want to hear of what is said, or to have a say in it.
package struct HookSettings: Sendable {
    /// What becomes of a message when the one who was asked says nothing in time.
    package enum Silence: String, Hashable, Sendable, CaseIterable {
        case allow, refuse
    }

    /// Hears of every entry once it is on the disk.
    package var webhook: HTTPURL?
    /// Of what else it hears.
    package var topics: Set<HookTopic> = []
    /// Is asked before something is said.
    package var preSend: HTTPURL?
    /// What every request is signed with.
    package var secret = ""
    package var deliveryTime = Duration.seconds(10)
    package var preSendTime = Duration.seconds(1)
    package var preSendSilence = Silence.allow

    package init() {}
}

/// What another program can hear of beside what is said.
package enum HookTopic: String, Hashable, Sendable, CaseIterable {
    case calls, rooms, presence
}
