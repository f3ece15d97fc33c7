import Negotiating
import SDP
import TestSupport
import Testing

/// Two sides that describe themselves to each other.
private struct Table {
    var left = Table.side(1)
    var right = Table.side(2)

    static func side(_ seed: UInt64) -> Negotiation {
        Negotiation(Negotiation.Settings(canonicalName: "side-\(seed)"), random: SeededRandom(seed: seed))
    }

    static func transport(_ side: Int, generation: Int = 0) -> LocalTransport {
        LocalTransport(
            usernameFragment: "frag\(side)\(generation)", password: "password-of-22-letters".replacing("-", with: "0"),
            fingerprint: Array(repeating: "0\(side)", count: 32).joined(separator: ":"),
            candidates: ["candidate:1 1 udp 2113994495 203.0.113.\(side) 5000 typ host"], hasAllCandidates: true)
    }

    /// Left offers, right answers.
    mutating func exchange() throws {
        let offer = try self.left.createOffer(Self.transport(1))
        try self.left.setLocal(.offer)
        try self.right.setRemote(.offer, offer.text)
        let answer = try self.right.createAnswer(Self.transport(2))
        try self.right.setLocal(.answer)
        try self.left.setRemote(.answer, answer.text)
    }

    mutating func turn() { swap(&self.left, &self.right) }
}

@Suite("A negotiation")
struct NegotiationTests {
    @Test("J01 agrees on sound both ways, over one transport")
    func firstExchange() throws {
        var table = Table()
        table.left.add()
        table.right.add()
        #expect(table.left.isNeeded)
        try table.exchange()
        for side in [table.left, table.right] {
            #expect(side.state == .stable && !side.isNeeded)
            #expect(side.transceivers.map(\.currentDirection) == [.sendReceive])
            #expect(side.transceivers[0].sending?.payloadType(of: .opus()) == 111)
        }
        #expect(table.left.agreement?.isClient == false && table.right.agreement?.isClient == true)
        #expect(table.left.agreement?.remote.usernameFragment == "frag20")
        #expect(table.right.agreement?.remote.candidates.count == 1)
        #expect(table.left.transceivers[0].remoteSources == [table.right.transceivers[0].ssrc])
    }

    @Test("J01 gives what only the other side wants to say a place of its own")
    func theirs() throws {
        var table = Table()
        table.left.add(.audio, .sendOnly)
        try table.exchange()
        #expect(table.right.transceivers.map(\.currentDirection) == [.receiveOnly])
        // Who has nothing to say until later says so later, in the same section.
        table.right.setDirection(.sendReceive, of: 0)
        table.left.setDirection(.sendReceive, of: 0)
        #expect(table.right.isNeeded)
        table.turn()
        try table.exchange()
        #expect(table.left.transceivers.map(\.currentDirection) == [.sendReceive])
        #expect(table.left.currentLocal?.media.count == 1)
    }

    @Test("J01 holds and goes on")
    func hold() throws {
        var table = Table()
        table.left.add()
        table.right.add()
        try table.exchange()
        table.left.setDirection(.sendOnly, of: 0)
        #expect(table.left.isNeeded)
        try table.exchange()
        #expect(table.right.transceivers[0].currentDirection == .receiveOnly)
        table.left.setDirection(.sendReceive, of: 0)
        try table.exchange()
        #expect(table.right.transceivers[0].currentDirection == .sendReceive)
        #expect(!table.left.isNeeded && !table.right.isNeeded)
    }

    @Test("J01 refuses politely what it does not speak, and keeps its place")
    func unknownMedia() throws {
        var right = Table.side(2)
        right.add()
        let answer = try Self.answer(Self.browserOffer, by: &right)
        #expect(answer.media.map(\.kind) == ["audio", "video", "application"])
        #expect(answer.media.map(\.isRejected) == [false, true, true])
        #expect(answer.bundles == [["0"]])
        #expect(answer.media[0].formats == ["111", "63", "126"])
        #expect(answer.media[0].headerExtension(SDPHeaderExtension.mediaID)?.id == 4)
        #expect(answer.media[0].headerExtension("http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time") == nil)
        #expect(answer.media[0].first(SDPSetup.self) == .active)
        // The next offer of ours leaves the others where they are.
        try right.setLocal(.answer)
        #expect(
            right.transceivers[0].sending?.payloadType(of: .red) == 63
                && right.transceivers[0].sending?.payloadType(of: .telephoneEvent) == 126)
        let offer = try right.createOffer(Table.transport(2))
        #expect(offer.media.map(\.kind) == ["audio", "video", "application"])
        #expect(offer.media.map(\.isRejected) == [false, true, true])
    }

    @Test("J01 takes an offer back as if it had never been")
    func rollback() throws {
        var table = Table()
        table.left.add()
        table.right.add()
        try table.exchange()
        let before = table.left.transceivers
        table.left.add(.audio, .sendOnly)
        let offer = try table.left.createOffer(Table.transport(1, generation: 1))
        try table.left.setLocal(.offer)
        #expect(offer.media.count == 2 && table.left.transceivers[1].mediaID != nil)
        try table.left.setLocal(.rollback)
        #expect(table.left.state == .stable && table.left.transceivers[0] == before[0])
        #expect(table.left.transceivers[1].mediaID == nil && table.left.isNeeded)
        // Theirs, too, with what came of it.
        table.right.add(.audio, .sendOnly)
        let theirs = try table.right.createOffer(Table.transport(2))
        try table.left.setRemote(.offer, theirs.text)
        try table.left.setRemote(.rollback, "")
        #expect(table.left.transceivers.count == 2 && table.left.localDescription == table.left.currentLocal)
        #expect(table.left.agreement?.remote.usernameFragment == "frag20")
    }

    @Test("J01 says what it cannot take, and stays what it was")
    func refusals() throws {
        var table = Table()
        table.left.add()
        Self.expect(.invalidState) { try table.left.createAnswer(Table.transport(1)) }
        Self.expect(.invalidState) { try table.left.setRemote(.answer, Self.browserOffer) }
        Self.expect(.invalidModification) { try table.left.setLocal(.offer) }
        Self.expect(.invalidAccess) { try table.left.setRemote(.offer, "nonsense") }
        let plain = Self.browserOffer.replacing("a=fingerprint", with: "a=nofingerprint")
        Self.expect(.invalidAccess) { try table.left.setRemote(.offer, plain) }
        let offer = try table.left.createOffer(Table.transport(1))
        Self.expect(.invalidModification) { try table.left.setLocal(.offer, offer.text + "a=more\r\n") }
        try table.left.setLocal(.offer, offer.text)
        Self.expect(.invalidState) { try table.left.setRemote(.offer, Self.browserOffer) }
        Self.expect(.invalidAccess) { try table.left.setRemote(.answer, Self.browserOffer) }
        #expect(table.left.state == .haveLocalOffer)
        table.right.add()
        try table.right.setRemote(.offer, offer.text)
        let answer = try table.right.createAnswer(Table.transport(2))
        try table.left.setRemote(.answer, answer.text)
        #expect(table.left.state == .stable)
    }

    @Test("J01 lives through offers with any line missing or doubled")
    func mutations() throws {
        let lines = Self.browserOffer.split(separator: "\r\n", omittingEmptySubsequences: true).map { String($0) }
        for index in lines.indices {
            for isDoubled in [false, true] {
                var changed = lines
                if isDoubled { changed.insert(lines[index], at: index) } else { changed.remove(at: index) }
                var side = Table.side(3)
                side.add()
                guard (try? side.setRemote(.offer, changed.joined(separator: "\r\n") + "\r\n")) != nil else { continue }
                let answer = try side.createAnswer(Table.transport(3))
                try side.setLocal(.answer)
                #expect(side.state == .stable && answer.media.count == side.currentRemote?.media.count)
                #expect(try SDPDescription(parsing: answer.text) == answer)
            }
        }
    }

    @Test("J01 stops a sound, and gives its place to another")
    func stopping() throws {
        var table = Table()
        for _ in 0..<2 {
            table.left.add()
            table.right.add()
        }
        try table.exchange()
        table.left.stop(1)
        #expect(table.left.isNeeded)
        try table.exchange()
        #expect(table.right.transceivers[1].isStopped && table.right.transceivers[1].currentDirection == nil)
        table.left.add()
        try table.exchange()
        #expect(table.left.currentLocal?.media.count == 2)
        #expect(table.left.transceivers[2].mediaID?.value == "2" && table.left.transceivers[2].currentDirection != nil)
    }
}

extension NegotiationTests {
    @Test("J01 does not grow with every name the other side can think of")
    func names() throws {
        var table = Table()
        table.left.add()
        let offer = try table.left.createOffer(Table.transport(1)).text
        var refusals = 0
        for number in 0..<200 {
            let renamed = offer.replacing("a=mid:0", with: "a=mid:n\(number)")
                .replacing("BUNDLE 0", with: "BUNDLE n\(number)")
            let answer = try Self.answer(renamed, by: &table.right)
            if answer.media[0].isRejected { refusals += 1 }
        }
        #expect(table.right.transceivers.count == table.right.settings.maximumTransceivers)
        #expect(refusals == 200 - table.right.settings.maximumTransceivers)
    }

    private static func expect(_ name: NegotiationError.Name, _ body: () throws -> some Any) {
        let error = #expect(throws: NegotiationError.self) { _ = try body() }
        #expect(error?.name == name)
    }

    private static func answer(_ offer: String, by side: inout Negotiation) throws -> SDPDescription {
        try side.setRemote(.offer, offer)
        return try side.createAnswer(Table.transport(2))
    }

    /// What a browser offers that would like everything, shortened.
    private static let browserOffer = [
        "v=0", "o=- 4611731400430051336 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0 1 2",
        "a=extmap-allow-mixed", "a=msid-semantic: WMS", "m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126",
        "c=IN IP4 0.0.0.0", "a=rtcp:9 IN IP4 0.0.0.0", "a=ice-ufrag:abcd", "a=ice-pwd:0123456789012345678901",
        "a=ice-options:trickle",
        "a=fingerprint:sha-256 \(Array(repeating: "AB", count: 32).joined(separator: ":"))", "a=setup:actpass",
        "a=mid:0", "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
        "a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
        "a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
        "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid", "a=sendrecv", "a=msid:- track", "a=rtcp-mux",
        "a=rtpmap:111 opus/48000/2", "a=rtcp-fb:111 transport-cc", "a=fmtp:111 minptime=10;useinbandfec=1",
        "a=rtpmap:63 red/48000/2", "a=fmtp:63 111/111", "a=rtpmap:9 G722/8000", "a=rtpmap:0 PCMU/8000",
        "a=rtpmap:8 PCMA/8000", "a=rtpmap:13 CN/8000", "a=rtpmap:110 telephone-event/8000",
        "a=rtpmap:126 telephone-event/48000", "a=ssrc:1001 cname:browser", "a=ssrc:1001 msid:- track",
        "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0", "a=ice-ufrag:abcd",
        "a=ice-pwd:0123456789012345678901",
        "a=fingerprint:sha-256 \(Array(repeating: "AB", count: 32).joined(separator: ":"))", "a=setup:actpass",
        "a=mid:1", "a=sendrecv", "a=rtcp-mux", "a=rtpmap:96 VP8/90000",
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:2", "a=sctp-port:5000", "",
    ].joined(separator: "\r\n")
}
