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
