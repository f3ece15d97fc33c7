internal import CSockets
internal import CUV

/// Tells when an interface or an address of this machine has come or gone. Some systems do not say; then there is no news.
@safe package final class InterfaceNews: SocketWatch {
    private let changed: () -> Void

    package init?(on reactor: Reactor, changed: @escaping () -> Void) {
        let fd = parley_address_news()
        guard fd >= 0 else { return nil }
        self.changed = changed
        do { try super.init(fd, on: reactor) } catch { return nil }
        self.watch(readable: true, writable: false)
    }

    package func close() { self.closeSocket() }

    /// What it is about is not read: the addresses themselves say it better, and nothing is lost when the news overflow.
    override func readable() {
        repeat {
        } while unsafe recv(self.fd, self.reactor.readBuffer.baseAddress, self.reactor.readBuffer.count, 0) > 0
        self.changed()
    }
}
