import ICE
import ICEServers
import Pathways
import STUN
import Testing
import Vocabulary

@Suite("A survey's report")
struct SurveyReportTests {
    @Test(
        "asks over the transports that a URL allows",
        arguments: [
            ("stun:a", [TURNTransport.udp, .tcp], 3478), ("stuns:a", [.tls, .dtls], 5349),
            ("turn:a:99", [.udp, .tcp], 99), ("turn:a?transport=tcp", [.tcp], 3478),
            ("turns:a?transport=udp", [.dtls], 5349), ("turns:a:443?transport=tcp", [.tls], 443),
        ])
    func targets(text: String, transports: [TURNTransport], port: UInt16) throws {
        let target = SurveyTarget(try #require(ICEServerURL(text)))
        #expect(target.transports == transports)
        #expect(target.transports.map(target.port(for:)) == transports.map { _ in port })
    }

    private static let place = SocketAddress(.v4(0xC633_6401), port: 3478)

    private static func row(
        _ url: String, _ transport: TURNTransport = .udp, milliseconds: Int? = 20, relays: Bool? = nil
    ) throws -> SurveyReport.Row {
        var row = SurveyReport.Row(try #require(ICEServerURL(url)), transport, self.place)
        row.binding.requests = 1
        row.binding.roundTrips = milliseconds.map { [.milliseconds($0)] } ?? []
        let allocation = TURNAllocation(relayed: [self.place], mapped: nil, lifetime: .seconds(600), missing: nil)
        row.relay = relays.map { $0 ? .granted(allocation, after: .milliseconds(9)) : .refused(.silent) }
        return row
    }

    private static func report(
        _ rows: SurveyReport.Row..., translated: Bool? = nil, mapping: NATDependence? = nil
    ) -> SurveyReport {
        var report = SurveyReport()
        report.rows = rows
        var network = SurveyReport.Network()
        network.mapped = self.place
        network.nat.isTranslated = translated
        network.nat.mapping = mapping
        report.networks = [.ipv4: network]
        return report
    }

    @Test("says what the network means for calls")
    func verdicts() throws {
        let answer = try Self.row("stun:a")
        let silence = try Self.row("stun:a", milliseconds: nil)
        #expect(Self.report(answer, translated: false, mapping: .endpointIndependent).verdict == .open)
        #expect(Self.report(answer, translated: true, mapping: .endpointIndependent).verdict == .direct)
        #expect(Self.report(answer, translated: true, mapping: .addressDependent).verdict == .relayForSome)
        #expect(Self.report(answer, translated: true, mapping: .addressAndPortDependent).verdict == .relayForSome)
        #expect(Self.report(silence).verdict == .unknown)
        let overTCP = try Self.row("stun:a", .tcp)
        #expect(Self.report(silence, overTCP).verdict == .blocked)
        #expect(Self.report(silence, try Self.row("turns:a", .tls, relays: false)).verdict == .blocked)
        #expect(Self.report(silence, try Self.row("turns:a", .tls, relays: true)).verdict == .relayOnly)
    }

    @Test("counts a TURN server as working when it relays, and a STUN server when it answers")
    func works() throws {
        #expect(try Self.row("stun:a").works && Self.row("turn:a", relays: true).works)
        #expect(try !Self.row("stun:a", milliseconds: nil).works && !Self.row("turn:a", relays: false).works)
        #expect(try !Self.row("turn:a").works)
    }

    @Test("puts the fastest first, each by its fastest way, and leaves out what does not work")
    func best() throws {
        let report = Self.report(
            try Self.row("stun:slow", milliseconds: 90), try Self.row("turn:a", .udp, milliseconds: 40, relays: true),
            try Self.row("turn:a", .tcp, milliseconds: 10, relays: true), try Self.row("stun:quick", milliseconds: 20),
            try Self.row("stun:dead", milliseconds: nil), try Self.row("turn:no", milliseconds: 1, relays: false))
        #expect(report.best.map(\.text) == ["turn:a", "stun:quick", "stun:slow"])
        #expect(report.urls == (3, 5))
    }
}
