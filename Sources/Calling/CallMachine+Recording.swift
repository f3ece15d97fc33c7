import Vocabulary

extension CallMachine.State {
    /// The one on this line keeps what is said, or with nil no longer. Answers whom to tell; nobody when it was so before.
    ///
    /// - Parameter refusal: of a call that is over.
    mutating func recorded(
        by line: Line, since start: WallTime?, orElse refusal: CallRefusal
    ) throws(CallRefusal) -> SessionID? {
        switch self {
        case .talking(var talk):
            guard let role = talk.role(of: line) else { throw .answeredElsewhere }
            guard (talk[role].recordingSince == nil) != (start == nil) else { return nil }
            talk[role].recordingSince = start
            self = .talking(talk)
            return talk[role.other].line.session
        case .ringing: throw .stillRinging
        case .ended, .merged: throw refusal
        }
    }
}
