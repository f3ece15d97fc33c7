package import Calling
package import Vocabulary

/// What happens on one of the nodes and all of them know, in the same order: for the other parts of the server.
package enum SharedEvent: Hashable, Sendable {
    /// With their first line.
    case cameOnline(UserID)
    /// With their last line.
    case wentOffline(UserID)
    case room(RoomName, RoomNews)
    case callStarted(CallInvitation)
    /// Two talk in it from now on.
    case callAnswered(RunningCall)
    case callEnded(CallRecord)
}

/// Where the change comes from that is carried out.
package enum ChangeOrigin: Hashable, Sendable {
    /// It is this node's, and there is no other.
    case alone
    /// It is for this node to do what is done once for all.
    case here
    case elsewhere
    /// It was carried out by others before, and this node learns how everything stands.
    case past
}
