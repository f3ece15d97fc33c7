package import Client
package import Pathways
package import Secure
internal import Vocabulary

/// What a run does: how many come, how quickly, and what all of them do then. What is zero is left out.
package struct LoadPlan: Sendable {
    package var server: ServerURL
    package var admission = LoadAdmission.anonymous
    package var users = 100
    /// So many come in a second.
    package var arrivals = 200.0
    /// How long they do what they do, once all are there.
    package var duration = Duration.seconds(10)
    /// For answers and deliveries that are still on their way at the end.
    package var timeout = Duration.seconds(10)
    /// So many others are watched by each.
    package var watched = 0
    /// So many leave in a second and come again as somebody new.
    package var turnover = 0.0
    /// Messages a second, of all together.
    package var messages = 0.0
    package var messageBytes = 64
    /// Of a conversation; two have no need of a group.
    package var groupSize = 2
    package var roomSize = 0
    /// Signals a second to all others in a room, of all together.
    package var signals = 0.0
    /// So many at once.
    package var calls = 0
    package var callDuration = Duration.seconds(5)
    package var media = LoadMedia()
    package var relays = LoadRelays()
    /// Files a second, of all together; each is brought and fetched again.
    package var files = 0.0
    package var fileBytes = 65_536
    /// Calls at once to who answers `POST` of an offer, and where.
    package var offers = 0
    package var offerPath = "/offer"
    /// Socket.IO events a second, of all together, that are answered by whoever gets them, and their name.
    package var echoes = 0.0
    package var echoEvent = "echo"
    package var echoBytes = 64
    /// Between two cuts of every connection.
    package var cuts: Duration?

    package init(_ server: ServerURL) { self.server = server }
}

/// The sound of a call.
package struct LoadMedia: Hashable, Sendable {
    package var isOn = true
    /// A share of those who talk decodes and plays what comes, and tells how much had to be made up.
    package var listeners = 0.0
    package var impairment = NetworkImpairment()

    package init() {}
}

/// Packets from one relayed address to another.
package struct LoadRelays: Sendable {
    /// Allocations; two of them talk with each other.
    package var count = 0
    package var packetBytes = 172
    /// Of each allocation in a second.
    package var packetsPerSecond = 50.0
    /// Where they are asked for; without any, at a server that `read` finds in what the users are advised.
    package var server: AdvisedServer?
    package var read: @Sendable (ICEServerAdvice) -> [AdvisedServer] = { _ in [] }

    package init() {}
}

/// Who the users are.
package enum LoadAdmission: Sendable {
    /// New ones, by `/v1/auth/anonymous`.
    case anonymous
    /// Those of an application that vouches for its users: nobody is asked for a token.
    case application(SigningKey)
    /// Nobody asks who they are.
    case nobody
}
