internal import Identity
internal import Operations
internal import SocketServer
internal import Switchboard
internal import Vocabulary

/// Where clients of one kind come in and are listened to: our own, or those of a door. Lives on the loop of the sockets.
///
///     arrival ──identify──▶ visitor ──welcome──▶ entered ──received …──▶ left
///                  └─────▶ refused                 └──(away)──▶ returned
protocol Entrance: AnyObject {
    /// In which words its clients are told what happens.
    var dialect: any Dialect { get }
    /// Whether it is one of its clients that wants to connect.
    func claims(_ arrival: SocketArrival) -> Bool
    /// Finds out who it is. Answers once, on the loop.
    func identify(_ arrival: SocketArrival, _ completion: @escaping (Result<Visitor, ArrivalRefusal>) -> Void)
    /// Who comes back to a place that was kept.
    func identity(returning arrival: SocketArrival) throws(RequestError) -> Identity
    /// The socket is let in; what is sent now comes before everything else.
    func welcome(_ socket: Socket, _ visitor: Visitor)
    /// Others know now that the client is there. An error ends the session.
    func entered(_ session: SignedInSession) throws(RequestError)
    /// The event's bytes are lent for the time of the call.
    func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from session: SignedInSession)
    func returned(_ session: SignedInSession)
    func left(_ session: SignedInSession)
}

extension Entrance {
    func identity(returning arrival: SocketArrival) throws(RequestError) -> Identity {
        throw RequestError(.unauthorized, "connect anew")
    }

    func welcome(_ socket: Socket, _ visitor: Visitor) {}
    func entered(_ session: SignedInSession) {}
    func returned(_ session: SignedInSession) {}
}

/// A client that is authenticated and not let in yet.
struct Visitor: Sendable {
    let identity: Identity
    /// What others see of them.
    let face: ProfileSummary
    var device = DeviceID.main
    /// Whether the place is kept when the connection breaks.
    var mayReturn = true
    /// The client asked for a place that it had before, and that is not there any more.
    var hasLostItsPlace = false
    /// A line that the client had on another node, and that could not be taken up.
    var former: SessionID?
    /// From whom they do not want to hear; nil when that is unknown.
    var blocked: [UserID]?
}

/// What a client is told that is not let in, in words it knows.
struct ArrivalRefusal: Error, Hashable {
    let text: String
}
