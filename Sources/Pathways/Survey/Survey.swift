package import Reactor
internal import ICE
internal import ICEServers
internal import STUN
internal import Vocabulary

/// Looks at many servers at the same time, over every transport and both families, and at the network in which we are.
package final class Survey {
    package struct Settings: Hashable, Sendable {
        /// How long to wait for a NAT to drop an idle binding; zero to skip the test.
        package var watching: Duration
        /// Any certificate will do.
        package var trustsAnybody: Bool

        package init(watching: Duration = .zero, trustsAnybody: Bool = false) {
            self.watching = watching
            self.trustsAnybody = trustsAnybody
        }
    }

    private let targets: [SurveyTarget]
    private let settings: Settings
    private let reactor: Reactor
    private var done: ((SurveyReport) -> Void)?
    private var rows: [RowRun] = []
    private var unverified: [SurveyReport.Row] = []
    private var networks: [STUNAddressFamily: NetworkRun] = [:]
    private var left = 0

    package init(
        of targets: [SurveyTarget], settings: Settings = Settings(), on reactor: Reactor,
        done: @escaping (SurveyReport) -> Void
    ) {
        self.targets = targets
        self.settings = settings
        self.reactor = reactor
        self.done = done
    }

    /// Calls `done` once, when everything is known.
    package func start() {
        let hosts = Set(self.targets.map(\.url.host))
        self.left = hosts.count
        var addresses: [String: [IPAddress]] = [:]
        for host in hosts {
            self.resolve(host) { found in
                addresses[host] = found
                self.left -= 1
                if self.left == 0 { self.look(at: addresses) }
            }
        }
    }

    private func resolve(_ host: String, _ found: @escaping ([IPAddress]) -> Void) {
        if let ip = IPAddress(host) {
            self.reactor.schedule(after: .zero) { found([ip]) }
        } else {
            self.reactor.resolve(host) { found((try? $0.get()) ?? []) }
        }
    }

    private func look(at addresses: [String: [IPAddress]]) {
        for target in self.targets {
            let known = Self.oneOfEach(addresses[target.url.host] ?? [])
            for transport in target.transports {
                if known.isEmpty { self.addStranger(target, transport) }
                for ip in known { self.add(target, transport, SocketAddress(ip, port: target.port(for: transport))) }
            }
        }
        self.left = self.rows.count + self.networks.count
        guard self.left > 0 else { return self.finish() }
        for network in self.networks.values { network.start() }
        for row in self.rows { row.start() }
    }

    /// A name may stand for many machines; one of each family stands for them.
    private static func oneOfEach(_ addresses: [IPAddress]) -> [IPAddress] {
        [.ipv4, .ipv6].compactMap { (family: STUNAddressFamily) in
            addresses.first { STUNAddressFamily(of: $0) == family }
        }
    }

    private func addStranger(_ target: SurveyTarget, _ transport: TURNTransport) {
        var row = SurveyReport.Row(target.url, transport, nil)
        row.failure = "cannot resolve \(target.url.host)"
        self.unverified.append(row)
    }

    private func add(_ target: SurveyTarget, _ transport: TURNTransport, _ address: SocketAddress) {
        let trust = ServerTrust(name: target.url.host, isBlind: self.settings.trustsAnybody)
        let run = RowRun(
            SurveyReport.Row(target.url, transport, address), at: address, account: target.account, trust: trust,
            on: self.reactor, done: self.oneIsDone)
        self.rows.append(run)
        guard transport == .udp else { return }
        let family = STUNAddressFamily(of: address.ip)
        let network =
            self.networks[family]
            ?? NetworkRun(watching: self.settings.watching, on: self.reactor, done: self.oneIsDone)
        self.networks[family] = network
        network.add(address, found: run.bound)
    }

    private func oneIsDone() {
        self.left -= 1
        if self.left == 0 { self.finish() }
    }

    private func finish() {
        var report = SurveyReport()
        report.rows = self.rows.map(\.row) + self.unverified
        report.networks = self.networks.mapValues(\.network)
        self.networks = [:]
        self.rows = []
        self.done.take()?(report)
    }
}
