package import Reactor

/// Who wants to know which addresses this machine has, always on the watch's loop.
package protocol InterfaceFollower: AnyObject {
    func addressesAre(_ addresses: [InterfaceAddress])
}

/// Knows the machine's addresses, for all on a loop who want to: looks at them when the system says that something has
/// changed, and now and then, as not every system says so.
///
/// It tells what there is and not what has changed: who could not use an address yet tries again by itself.
package final class InterfaceWatch {
    private let reactor: Reactor
    private let interval: Duration
    private let inspect: () -> [InterfaceAddress]
    private var followers: [any InterfaceFollower] = []
    private var addresses: [InterfaceAddress] = []
    private var news: InterfaceNews?
    private var timer: TimerToken?
    private var isAlarmed = false

    /// One change makes several pieces of news.
    private static let haste = Duration.milliseconds(5)

    /// - Parameter inspect: what there is now; of tests that have no other machine.
    package init(
        on reactor: Reactor, every interval: Duration = .seconds(1),
        inspect: @escaping () -> [InterfaceAddress] = InterfaceAddress.all
    ) {
        self.reactor = reactor
        self.interval = interval
        self.inspect = inspect
    }

    /// Tells at once what there is, and keeps the follower until it is removed.
    package func add(_ follower: any InterfaceFollower) {
        self.followers.append(follower)
        // While there are followers, the last result is current or about to be refreshed.
        guard self.timer == nil else { return follower.addressesAre(self.addresses) }
        self.addresses = self.inspect()
        follower.addressesAre(self.addresses)
        guard self.timer == nil else { return }
        self.news = InterfaceNews(on: self.reactor) { [unowned self] in self.alarmed() }
        self.wait(self.interval)
    }

    package func remove(_ follower: any InterfaceFollower) {
        self.followers.removeAll { $0 === follower }
        guard self.followers.isEmpty else { return }
        self.news.take()?.close()
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
    }

    private func alarmed() {
        guard !self.isAlarmed, let timer = self.timer.take() else { return }
        self.isAlarmed = true
        self.reactor.cancel(timer)
        self.wait(Self.haste)
    }

    private func wait(_ duration: Duration) {
        self.timer = self.reactor.schedule(after: duration) { self.lookAgain() }
    }

    private func lookAgain() {
        self.isAlarmed = false
        self.addresses = self.inspect()
        for follower in self.followers { follower.addressesAre(self.addresses) }
        if !self.followers.isEmpty { self.wait(self.interval) }
    }
}
