package import Reactor

/// Who wants to know which addresses this machine has, always on the watch's loop.
package protocol InterfaceFollower: AnyObject {
    func addressesAre(_ addresses: [InterfaceAddress])
}

/// Looks at the machine's addresses again and again, for all on a loop who want to know.
///
/// It tells what there is and not what has changed: who could not use an address yet tries again by itself.
package final class InterfaceWatch {
    private let reactor: Reactor
    private let interval: Duration
    private let look: () -> [InterfaceAddress]
    private var followers: [any InterfaceFollower] = []
    private var timer: TimerToken?

    /// - Parameter look: what there is now; of tests that have no other machine.
    package init(
        on reactor: Reactor, every interval: Duration = .milliseconds(500),
        look: @escaping () -> [InterfaceAddress] = InterfaceAddress.all
    ) {
        self.reactor = reactor
        self.interval = interval
        self.look = look
    }

    /// Tells at once what there is, and keeps the follower until it is removed.
    package func add(_ follower: any InterfaceFollower) {
        self.followers.append(follower)
        follower.addressesAre(self.look())
        if self.timer == nil { self.wait() }
    }

    package func remove(_ follower: any InterfaceFollower) {
        self.followers.removeAll { $0 === follower }
        if self.followers.isEmpty, let timer = self.timer.take() { self.reactor.cancel(timer) }
    }

    private func wait() {
        self.timer = self.reactor.schedule(after: self.interval) { self.lookAgain() }
    }

    private func lookAgain() {
        let addresses = self.look()
        for follower in self.followers { follower.addressesAre(addresses) }
        self.timer = nil
        if !self.followers.isEmpty { self.wait() }
    }
}
