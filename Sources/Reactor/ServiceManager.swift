internal import CSockets
package import Vocabulary

/// Whoever started this program as a service and watches over it, by the plain protocol of systemd: sd_notify(3) and
/// sd_listen_fds(3).
package struct ServiceManager: Sendable {
    /// A socket that listens already and was handed over at the start.
    package struct Inherited: Hashable, Sendable {
        let descriptor: Int32
        package let address: SocketAddress
        /// What the service manager calls it.
        package let name: String
    }

    package enum State: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
        /// The program is alive and does its work.
        case watchdog = "WATCHDOG=1"
    }

    private let notifySocket: String?
    /// Within which time it has to hear of us; nil when it does not watch.
    package let watchdog: Duration?
    package let sockets: [Inherited]

    private static let firstDescriptor: Int32 = 3
    private static let maximumSockets = 64

    /// - Parameter process: our own number; what is meant for another process is not for us.
    package init(environment: [String: String], process: Int32) {
        self.notifySocket = environment["NOTIFY_SOCKET"]
        self.watchdog = Self.watchdog(environment, process)
        self.sockets = Self.sockets(environment, process)
    }

    /// Nobody watches, and nothing was handed over.
    package init() { self.init(environment: [:], process: 0) }

    private static func isMeant(for process: Int32, _ variable: String?) -> Bool {
        variable.flatMap { Int32($0) }.map { $0 == process } ?? false
    }

    private static func watchdog(_ environment: [String: String], _ process: Int32) -> Duration? {
        if let other = environment["WATCHDOG_PID"], !self.isMeant(for: process, other) { return nil }
        guard let time = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), time > 0 else { return nil }
        return .microseconds(time)
    }

    private static func sockets(_ environment: [String: String], _ process: Int32) -> [Inherited] {
        guard self.isMeant(for: process, environment["LISTEN_PID"]),
            let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), (1...self.maximumSockets).contains(count)
        else { return [] }
        let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        return (0..<count).compactMap { index in
            let descriptor = self.firstDescriptor + Int32(index)
            guard parley_adopt_listener(descriptor) == 1, let address = SystemSocket.localAddress(of: descriptor) else {
                return nil
            }
            return Inherited(
                descriptor: descriptor, address: address, name: index < names.count ? String(names[index]) : "")
        }
    }

    /// Tells it, if there is one.
    package func tell(_ state: State) {
        if let path = self.notifySocket { _ = unsafe parley_notify(path, state.rawValue) }
    }
}
