package import Calling
package import Vocabulary

/// What the devices of two users ask of a call.
package enum CallOperation: String, OperationFamily {
    case invite = "call.invite"
    case answering = "call.answering"
    case ringing = "call.ringing"
    case accept = "call.accept"
    case decline = "call.decline"
    case hangUp = "call.hangup"
    case failed = "call.failed"
    case take = "call.take"
    case record = "call.record"

    package var specification: Specification<CallRequest> {
        switch self {
        case .invite: .invite
        case .answering: .answering
        case .ringing: .ringing
        case .accept: .accept
        case .decline: .decline
        case .hangUp: .hangUp
        case .failed: .failed
        case .take: .take
        case .record: .record
        }
    }
}

package enum CallRequest: Hashable, Sendable {
    case invite(UserID, CallKind, as: CallID?)
    case answering(atOnce: Int)
    case ringing(CallID)
    case accept(CallID)
    case decline(CallID)
    case hangUp(CallID)
    case failed(CallID)
    case take(CallID, replacing: SessionID?, keepsMedia: Bool)
    case record(CallID, isOn: Bool)
}

extension Field<CallKind> {
    package static let callKind = Field.text("kind", "audio or video", \.rawValue) { CallKind(rawValue: $0) }
}

extension Specification<CallRequest> {
    fileprivate static let invite = Specification(
        CallRequest.invite, .user, .callKind.or(.video), .optional(.call), answer: .invited,
        refusals: [.blocked, .tooManyCalls, .conflict, .callOver, .forbidden])
    fileprivate static let answering = Specification(CallRequest.answering, .atOnce)
    fileprivate static let ringing = Self.about(CallRequest.ringing)
    fileprivate static let accept = Self.about(CallRequest.accept, [.tooManyCalls])
    fileprivate static let decline = Self.about(CallRequest.decline)
    fileprivate static let hangUp = Self.about(CallRequest.hangUp)
    fileprivate static let failed = Self.about(CallRequest.failed)
    fileprivate static let take = Specification(
        CallRequest.take, .call, .optional(.replaced), .keepsMedia, answer: .call,
        refusals: [.notFound, .forbidden, .answeredElsewhere, .conflict, .callOver, .notAnswered])

    fileprivate static let record = Specification(
        CallRequest.record, .call, .isOn,
        refusals: [.notFound, .forbidden, .answeredElsewhere, .callOver, .notAnswered])

    private static func about(
        _ make: @escaping @Sendable (CallID) -> CallRequest, _ more: Set<RequestError.Code> = []
    ) -> Specification {
        Specification(
            make, .call,
            refusals: more.union([.notFound, .forbidden, .answeredElsewhere, .callOver, .notAnswered]))
    }
}
