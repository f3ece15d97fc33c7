/// Why a call does not do what a device asked for.
package enum CallRefusal: Error, Hashable, Sendable {
    /// No call has this name, or none that is remembered.
    case unknownCall
    /// This one is over already.
    case ended(CallOutcome)
    /// The callee has not answered yet.
    case stillRinging
    /// The user has no part in this call, or not the part that may do this.
    case notYours
    /// Another device of the user has the call.
    case answeredElsewhere
    /// The seat's own line is up, and was not named as the one to replace.
    case seatTaken
    /// Users cannot ring themselves.
    case callsThemselves
    /// The user takes part in as many calls as one may.
    case tooManyCalls
    /// The name belongs to another call.
    case nameTaken
}
