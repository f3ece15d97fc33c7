internal import Calling
internal import Operations
internal import Vocabulary

extension Switchboard {
    /// Whether somebody is in a room or a call, on the line they ask by; a call counts from its first ring.
    func checkSeat(of guest: Guest, in scope: SignalScope) throws(RequestError) {
        switch scope {
        case .room(let room):
            guard !guest.rooms.contains(room) else { return }
            throw RequestError(.notMember, "you are not in \(room.text)")
        case .call(let call):
            switch try self.phase(of: call, for: guest) {
            case .ringing, .talking: return
            case .talkingElsewhere: throw RequestError(.answeredElsewhere)
            case .ended(let outcome): throw RequestError(.ended(outcome))
            }
        }
    }

    private func phase(of call: CallID, for guest: Guest) throws(RequestError) -> CallView.Phase {
        do throws(CallRefusal) {
            return try self.calls.view(of: call, for: guest.line).phase
        } catch .notYours {
            throw RequestError(.notMember, "you are not in this call")
        } catch {
            throw RequestError(error)
        }
    }
}
