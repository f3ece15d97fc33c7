/// What a description is for (`RTCSdpType`).
package enum DescriptionKind: String, Hashable, Sendable, CaseIterable {
    case offer
    /// An answer that another may follow.
    case pranswer
    case answer
    /// Takes the unanswered offer back.
    case rollback
}

/// Whose turn it is (`RTCSignalingState`, by its names).
///
///     stable ──our offer──▶ have-local-offer ──their answer──▶ stable
///     stable ──their offer──▶ have-remote-offer ──our answer──▶ stable
package enum SignalingState: String, Hashable, Sendable, CaseIterable {
    case stable
    case haveLocalOffer = "have-local-offer"
    case haveRemoteOffer = "have-remote-offer"
    case haveLocalProvisionalAnswer = "have-local-pranswer"
    case haveRemoteProvisionalAnswer = "have-remote-pranswer"
    case closed

    /// Where a description of ours leads to; nil where none of its kind has a place.
    func afterLocal(_ kind: DescriptionKind) -> SignalingState? {
        switch (self, kind) {
        case (.stable, .offer), (.haveLocalOffer, .offer): .haveLocalOffer
        case (.haveRemoteOffer, .answer), (.haveLocalProvisionalAnswer, .answer): .stable
        case (.haveRemoteOffer, .pranswer), (.haveLocalProvisionalAnswer, .pranswer): .haveLocalProvisionalAnswer
        case (.haveLocalOffer, .rollback): .stable
        default: nil
        }
    }

    /// Where a description of theirs leads to. An offer that crosses ours is not among them: the polite side rolls back
    /// first.
    func afterRemote(_ kind: DescriptionKind) -> SignalingState? {
        switch (self, kind) {
        case (.stable, .offer), (.haveRemoteOffer, .offer): .haveRemoteOffer
        case (.haveLocalOffer, .answer), (.haveRemoteProvisionalAnswer, .answer): .stable
        case (.haveLocalOffer, .pranswer), (.haveRemoteProvisionalAnswer, .pranswer): .haveRemoteProvisionalAnswer
        case (.haveRemoteOffer, .rollback): .stable
        default: nil
        }
    }
}
