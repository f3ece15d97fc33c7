import ICE
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("A look at a STUN server")
struct BindingProbeTests {
    @Test("J09 tells the address outside, and how long an answer takes")
    func looks() throws {
        let scene = try SurveyScene(NATBehaviour())
        let findings = try scene.bind()
        #expect(findings.mapped?.ip == .v4(0xCB00_7105))
        #expect(findings.roundTrips == Array(repeating: .milliseconds(50), count: 5))
        #expect(findings.other == SocketAddress(SurveyScene.addresses[1], port: 3479))
        #expect(findings.lost == 0)
    }

    @Test("knows the fastest, the slowest and the one in the middle")
    func figures() throws {
        let profile = LinkProfile(delay: .milliseconds(50), jitter: .milliseconds(15), loss: .random(0.1))
        let scene = try SurveyScene(NATBehaviour(), link: profile, seed: 3)
        var probe = BindingProbe(of: SurveyScene.server, settings: .init(requests: 50), random: SeededRandom(seed: 1))
        try scene.survey(&probe)
        let findings = probe.findings
        let (fastest, median) = (try #require(findings.fastest), try #require(findings.median))
        #expect(fastest < median && median < findings.slowest ?? .zero)
        #expect(abs(median - .milliseconds(100)) < .milliseconds(10))
        #expect((2...20).contains(findings.lost) && findings.roundTrips.count + findings.lost == 50)
    }

    @Test("gives up on a server that says nothing, after the last request's time")
    func silence() throws {
        let scene = try SurveyScene(NATBehaviour())
        scene.server.isSilent = true
        var probe = BindingProbe(of: SurveyScene.server, random: SeededRandom(seed: 1))
        let duration = try scene.survey(&probe)
        #expect(duration == .milliseconds(1900))
        let findings = probe.findings
        #expect(!findings.isReachable && findings.lost == 5)
    }
}

@Suite("A look at the NATs on the way")
struct NATProbeTests {
    private static func look(_ scene: SurveyScene) throws -> (NATFindings, Duration) {
        let first = try scene.bind()
        var probe = NATProbe(
            server: SurveyScene.server, other: try #require(first.other), mapped: try #require(first.mapped),
            local: try scene.local(NATProbe.main), roundTrip: try #require(first.median),
            random: scene.network.makeRandom())
        let duration = try scene.survey(&probe)
        return (probe.findings, duration)
    }

    @Test("J09 tells each kind from the others", arguments: NATBehaviour.kinds, [false, true])
    func kinds(behaviour: NATBehaviour, hairpins: Bool) throws {
        var behaviour = behaviour
        behaviour.hairpins = hairpins
        let (findings, duration) = try Self.look(try SurveyScene(behaviour))
        #expect(findings.mapping == behaviour.mapping.expected)
        #expect(findings.filtering == behaviour.filtering.expected)
        #expect(findings.isTranslated == true)
        // The outer address that the probe knows is the one for the server, so only this mapping can be reached by it;
        // and who is not let in from elsewhere is not let in from inside either.
        if hairpins, behaviour.filtering == .endpointIndependent { #expect(findings.hairpins == true) }
        if !hairpins { #expect(findings.hairpins == false) }
        #expect(duration < .milliseconds(50 * 2 + 100 * 8))
    }

    @Test("knows when there is none")
    func open() throws {
        let (findings, _) = try Self.look(try SurveyScene(nil))
        #expect(findings.isTranslated == false && findings.mapping == .endpointIndependent)
        #expect(findings.filtering == .endpointIndependent && findings.hairpins == nil)
    }

    @Test("is right on a bad line", arguments: 0..<40)
    func loss(seed: UInt64) throws {
        let behaviour = NATBehaviour.kinds[Int(seed) % 9]
        let profile = LinkProfile(delay: .milliseconds(25), jitter: .milliseconds(5), loss: .random(0.05))
        let (findings, _) = try Self.look(try SurveyScene(behaviour, link: profile, seed: seed))
        #expect(findings.mapping == behaviour.mapping.expected)
        #expect(findings.filtering == behaviour.filtering.expected)
    }

    @Test("does not mistake a server that ignores the question for an open NAT")
    func ignorant() throws {
        let scene = try SurveyScene(NATBehaviour())
        let first = try scene.bind()
        let plain = try VirtualSTUNServer(on: scene.network.addHost(.v4(0xC633_6409)))
        var probe = NATProbe(
            server: SocketAddress(plain.host.addresses[0], port: 3478), other: try #require(first.other),
            mapped: try #require(first.mapped), local: nil, roundTrip: .milliseconds(50),
            random: scene.network.makeRandom())
        try scene.survey(&probe)
        let findings = probe.findings
        #expect(findings.filtering != .endpointIndependent && findings.isTranslated == nil)
    }
}

@Suite("A look at how long a NAT remembers")
struct LifetimeProbeTests {
    @Test("J09 finds the two lengths between which it forgets", arguments: [25, 50, 119, 130, 500])
    func lengths(seconds: Int) throws {
        let scene = try SurveyScene(NATBehaviour(ports: .random, lifetime: .seconds(seconds)))
        var probe = LifetimeProbe(
            server: SurveyScene.server, roundTrip: .milliseconds(50), random: SeededRandom(seed: 1))
        let duration = try scene.survey(&probe)
        let found = probe.lifetime
        let lifetime = try #require(found)
        let forgotten = try #require(lifetime.forgotten)
        #expect(lifetime.known < .seconds(seconds) && forgotten >= .seconds(seconds))
        #expect(duration < forgotten + .seconds(2))
    }

    @Test("says so when it never forgets")
    func never() throws {
        let scene = try SurveyScene(nil)
        var probe = LifetimeProbe(
            server: SurveyScene.server, roundTrip: .milliseconds(50), random: SeededRandom(seed: 1))
        try scene.survey(&probe)
        let lifetime = probe.lifetime
        #expect(lifetime == BindingLifetime(known: .seconds(600)))
    }

    @Test("knows nothing where the server does not help")
    func helpless() throws {
        let scene = try SurveyScene(NATBehaviour())
        scene.server.isSilent = true
        var probe = LifetimeProbe(
            server: SurveyScene.server, roundTrip: .milliseconds(50), random: SeededRandom(seed: 1))
        let duration = try scene.survey(&probe)
        let lifetime = probe.lifetime
        #expect(lifetime == nil && duration < .seconds(2))
    }
}

extension NATBehaviour.Dependence {
    fileprivate var expected: NATDependence {
        switch self {
        case .endpointIndependent: .endpointIndependent
        case .addressDependent: .addressDependent
        case .addressAndPortDependent: .addressAndPortDependent
        }
    }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
