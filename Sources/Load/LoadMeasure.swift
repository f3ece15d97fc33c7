/// What takes time in a run, by the name it has in reports and expectations.
package enum LoadMeasure: String, Hashable, Sendable, CaseIterable {
    /// A token is asked for and comes.
    case signIn = "sign-in"
    /// From the first packet to the server's greeting.
    case connect
    /// From somebody's arrival until who watches them hears of it.
    case presence
    case join
    /// From a member of a room to each of the others.
    case signal
    /// From the invitation to the bell at the other side.
    case ring
    /// From taking a call to hearing of that at the caller's.
    case answer
    /// From being connected by the server to a path that is secured.
    case path
    /// From taking a call to the first sound of the other side, at each side.
    case firstSound = "first-sound"
    /// As receivers reckon it (RFC 3550 §6.4.1), at the end of each call.
    case jitter
    case roundTrip = "round-trip"
    /// From a message to the server's word that it is kept.
    case ack
    /// From a message to each of its receivers.
    case delivery
    /// From the first attempt after a cut to being back.
    case resume
    /// A file and its last byte's answer; the file and its last byte.
    case upload, download
    /// From an offer over HTTP to its answer.
    case offer
    /// From an event to the acknowledgement of whoever sends it back.
    case echo
    /// From the first packet to the address that a relay lends.
    case allocate
    /// From one relayed address to another.
    case relay
}

/// What is counted in a run, by the name it has in reports and expectations.
package enum LoadCount: String, Hashable, Sendable, CaseIterable {
    case users
    /// Back as if nothing had been, and back as somebody new.
    case recovered, reconnected
    case rooms, signals
    case lostSignals = "lost-signals"
    case messages, deliveries
    /// Kept by the server, and not brought to somebody who should have it.
    case lost
    /// Brought to somebody who had it.
    case duplicates
    /// Never answered.
    case unanswered
    case calls
    case failedCalls = "failed-calls"
    case packets
    case lostPackets = "lost-packets"
    /// Of the sound that was played by those who listen.
    case samples
    case concealed
    case files
    /// Came back as something else.
    case damaged
    case echoes
    case allocations
    /// Relayed to somebody it was not meant for.
    case foreign
    /// Everything that was refused or broke.
    case errors

    /// What it is a share of, where that says more.
    var whole: LoadCount? {
        switch self {
        case .lost: .deliveries
        case .unanswered: .messages
        case .lostSignals: .signals
        case .failedCalls: .calls
        case .lostPackets: .packets
        case .concealed: .samples
        default: nil
        }
    }
}
