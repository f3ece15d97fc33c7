internal import STUN
package import Vocabulary

/// Whose an allocation is: a user, or one seat of theirs in a room or a call.
extension TURNServer {
    /// Who has what a request asks for: a user, or one seat of theirs.
    func holder(_ request: TURNRequest) -> TURNUser {
        let (name, now) = (request.proof.user, request.now)
        let user =
            self.users[name] ?? TURNUser(name, bytesPerSecond: self.settings.bytesPerSecondPerUser, at: now)
        self.users[name] = user
        guard let seat = request.proof.seat else { return user }
        let key = "\(name)\(RelaySeat.separator)\(seat.text)"
        let holder =
            self.users[key]
            ?? TURNUser(key, of: user, bytesPerSecond: self.settings.bytesPerSecondPerSeat, at: now)
        self.users[key] = holder
        return holder
    }

    /// A user was signed out: what they have here ends.
    package func end(user: String) {
        for allocation in self.allocations.values where allocation.proof.user == user { self.remove(allocation) }
    }

    /// Somebody left a room or a call: what they have for it ends, and their credentials for it are good for nothing more.
    package func end(_ seat: RelaySeat, at now: Instant) {
        self.endedSeats[seat] = now + TURNServerSettings.endedSeatMemory
        for allocation in self.allocations.values where allocation.proof.seat == seat { self.remove(allocation) }
    }

    func checkSeat(_ proof: RequestProof) throws(TURNRefusal) {
        guard let seat = proof.seat, self.endedSeats[seat] != nil else { return }
        throw TURNRefusal(code: .forbidden, reason: "These were for a room or a call that is left")
    }
}
