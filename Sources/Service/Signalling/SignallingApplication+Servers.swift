internal import ICEServers
internal import Reactor
internal import SocketServer
internal import Switchboard
internal import Vocabulary

/// Clients have STUN and TURN servers that work for as long as they are connected: credentials are replaced before they
/// end, and a new list is told to everybody.
extension SignallingApplication {
    func refreshServers(of session: SignedInSession, before deadline: WallTime?) {
        if let timer = session.serverTimer.take() { self.reactor.cancel(timer) }
        guard let deadline else { return }
        let left = max(1000, deadline.milliseconds - SystemClock.now().milliseconds)
        session.serverTimer = self.reactor.schedule(after: .milliseconds(left)) { [unowned self] in
            session.serverTimer = nil
            self.tellOfServers(session)
        }
    }

    /// What this client is told now; the next telling is arranged.
    func freshServers(for session: SignedInSession) -> ICEServerOffer {
        let offer = self.servers.offer(to: session.guest.user, session.guest.socket.client)
        self.refreshServers(of: session, before: offer.refresh)
        return offer
    }

    func tellEverybodyOfServers() {
        for session in self.sessions.values where session.guest.dialect === self.native { self.tellOfServers(session) }
    }

    private func tellOfServers(_ session: SignedInSession) {
        self.board.tell(.iceServers(self.freshServers(for: session).answer), to: session.guest.session)
    }
}
