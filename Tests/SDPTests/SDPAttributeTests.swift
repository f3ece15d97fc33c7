import SDP
import TestSupport
import Testing
import Vocabulary

@Suite("What stands in a description")
struct SDPAttributeTests {
    @Test("Chromium offers sound, pictures in two sizes and data")
    func chromium() throws {
        let offer = try SDPSamples.description("chromium-offer")
        #expect(offer.bundles == [["0", "1", "2"]] && offer.has(.extmapAllowMixed))
        #expect(offer.media.map(\.kind) == ["audio", "video", "application"])
        let audio = offer.media[0]
        #expect(audio.mediaID?.value == "0" && audio.port == 9 && audio.transport == "UDP/TLS/RTP/SAVPF")
        #expect(audio.formats.first == "111" && audio.direction == .sendReceive)
        #expect(audio.rtpMap(of: 111) == SDPRTPMap(111, "opus", clockRate: 48_000, channels: 2))
        #expect(audio.rtpMap(of: 63)?.isEncoding("RED") == true && audio.parameters(of: "63")?.text == "111/111")
        #expect(audio.parameters(of: "111")?.number("minptime") == 10)
        #expect(audio.parameters(of: "111")?["UseInbandFEC"] == "1")
        #expect(audio.parameters(of: "111")?["stereo"] == nil)
        #expect(audio.feedback(for: 111) == [SDPFeedback(111, "transport-cc")])
        #expect(audio.headerExtension(SDPHeaderExtension.audioLevel)?.id == 1)
        #expect(audio.headerExtension(SDPHeaderExtension.transportSequence)?.id == 3)
        #expect(audio.headerExtension(SDPHeaderExtension.mediaID)?.id == 4)
        #expect(audio.has(.rtcpMux) && audio.has(.rtcpReducedSize) && !audio.isRejected)
        #expect(audio.candidates.count == 2 && audio.candidates[0].hasPrefix("candidate:2661170323 1 udp "))
        #expect(audio.iceOptions == ["trickle"])
        #expect(offer.first(SDPUsernameFragment.self, for: audio)?.value == "ccUb")
        #expect(offer.first(SDPPassword.self, for: audio)?.value == "ukYPFp9sfnUz4h1KQxxcutah")
        #expect(offer.first(SDPFingerprint.self, for: audio)?.digits.hasPrefix("0D:79:FC:1E") == true)
        #expect(offer.first(SDPSetup.self, for: audio) == .either)
        #expect(audio.first(SDPStreamID.self)?.stream == "30f8b73c-9680-40d4-91c1-92e42d09ea25")
        let source = try #require(audio.first(SDPSource.self))
        #expect(source == SDPSource(1_174_757_701, "cname", "GwOXNplKeg558hmr"))
        #expect(offer.media[1].value(of: "simulcast") == "send h;l")
        #expect(offer.media[1].values(of: "rid") == ["h send", "l send"])
        #expect(offer.media[2].number(of: "sctp-port") == 5000)
    }

    @Test("Firefox says things once at the head")
    func firefox() throws {
        let offer = try SDPSamples.description("firefox-offer")
        let audio = offer.media[0]
        #expect(offer.origin?.userName == "mozilla...THIS_IS_SDPARTA-99.0" && offer.origin?.version == 0)
        #expect(audio.first(SDPFingerprint.self) == nil)
        #expect(offer.first(SDPFingerprint.self, for: audio)?.algorithm == "sha-256")
        #expect(offer.all(SDPFingerprint.self, for: audio).count == 1)
        #expect(audio.headerExtension("urn:ietf:params:rtp-hdrext:csrc-audio-level")?.direction == .receiveOnly)
        #expect(audio.first(SDPStreamID.self)?.stream == "{9c5f3f1d-8a75-4b4a-9c7f-0a1b2c3d4e5f}")
        #expect(audio.rtpMap(of: 101) == SDPRTPMap(101, "telephone-event", clockRate: 8000))
        #expect(audio.parameters(of: "101")?.text == "0-15")
    }

    @Test("aiortc knows three hash functions and ends its candidates; Pion sends only")
    func others() throws {
        let aiortc = try SDPSamples.description("aiortc-offer")
        #expect(aiortc.all(SDPFingerprint.self, for: aiortc.media[0]).map(\.digest.count) == [32, 48, 64])
        #expect(aiortc.media[0].has(.endOfCandidates) && aiortc.media[0].candidates.count == 2)
        #expect(aiortc.media[0].connection == IPAddress("192.0.2.17"))
        let pion = try SDPSamples.description("pion-answer")
        #expect(pion.direction(of: pion.media[0]) == .sendOnly)
        #expect(pion.media[0].all(SDPSource.self).count == 4)
        #expect(pion.media[0].feedback(for: 111) == [SDPFeedback(111, "transport-cc")])
        #expect(pion.text.contains("transport-cc \r\n"))
    }

    @Test("refused sections are told from those that only share a transport; the unknown is kept")
    func refused() throws {
        let description = try SDPSamples.description("rejected-and-unknown")
        #expect(description.media.map(\.isRejected) == [true, false, false])
        #expect(description.bandwidth("AS") == 512 && description.media[1].bandwidth("TIAS") == 2_500_000)
        #expect(description.media[1].bandwidth("AS") == nil)
        #expect(description.media[1].all(SDPSourceGroup.self) == [SDPSourceGroup("FID", [1, 2])])
        #expect(description.media[2].portCount == 2 && description.direction(of: description.media[2]) == .sendReceive)
        #expect(description.values(of: "x-unknown") == ["value: with: colons"])
        #expect(description.index(of: try #require(SDPMediaID("b"))) == 1)
        #expect(try SDPSamples.description("rfc8866").media[2].connection == IPAddress("2001:db8::2"))
    }

    @Test(
        "spoils it when both sides could read it differently",
        arguments: [
            "ice-ufrag:abc", "ice-ufrag:ab cd", "ice-ufrag", "ice-pwd:short", "ice-pwd:aaaaaaaaaaaaaaaaaaaaaaa-",
            "fingerprint:sha-256", "fingerprint:sha-256 AB", "fingerprint:sha-256 A:BC", "fingerprint:x A",
            "fingerprint:sha-256  ", "setup:both", "setup:", "mid:", "mid:a b", "group:", "group",
            "rtpmap:128 opus/48000", "rtpmap:111 opus", "rtpmap:111 opus/0", "rtpmap:111 opus/48000/0",
            "rtpmap:111 opus/48000/2/3", "rtpmap:+1 opus/48000", "extmap:0 urn:x", "extmap:256 urn:x",
            "extmap:1", "extmap:1/up urn:x", "extmap:1/sendonly/x urn:x", "extmap:4352 urn:x",
        ])
    func strict(attribute: String) throws {
        let name = String(try #require(attribute.split(separator: ":").first))
        let text = SDPSamples.minimal("m=audio 9 A 0", "a=\(attribute)")
        #expect(throws: SDPError(.badAttribute(name), at: SDPSamples.end + 15)) { try SDPDescription(parsing: text) }
    }

    @Test(
        "is only not understood when it is odd and concerns one side alone",
        arguments: [
            "fmtp:111", "fmtp:111 ", "rtcp-fb:111", "rtcp-fb:x nack", "rtcp-fb:128 nack", "ssrc:x cname:y", "ssrc:1",
            "ssrc:1 :y", "ssrc-group:FID x", "msid:", "msid:a b c",
        ])
    func tolerant(attribute: String) throws {
        let section = try SDPDescription(parsing: SDPSamples.minimal("m=audio 9 A 0", "a=\(attribute)")).media[0]
        #expect(section.all(SDPFormatParameters.self).isEmpty && section.all(SDPFeedback.self).isEmpty)
        #expect(section.all(SDPSource.self).isEmpty && section.all(SDPSourceGroup.self).isEmpty)
        #expect(section.all(SDPStreamID.self).isEmpty && section.lines == [SDPLine("a", attribute)])
    }

    @Test("is written as it is read", arguments: SDPSamples.names)
    func attributes(name: String) throws {
        let description = try SDPSamples.description(name)
        for level: any SDPLevel in [description] + description.media {
            self.expectSame(level.all(SDPFingerprint.self), in: level)
            self.expectSame(level.all(SDPGroup.self), in: level)
            self.expectSame(level.all(SDPRTPMap.self), in: level)
            self.expectSame(level.all(SDPFormatParameters.self), in: level)
            self.expectSame(level.all(SDPFeedback.self), in: level)
            self.expectSame(level.all(SDPHeaderExtension.self), in: level)
            self.expectSame(level.all(SDPSource.self), in: level)
            self.expectSame(level.all(SDPSourceGroup.self), in: level)
            self.expectSame(level.all(SDPStreamID.self), in: level)
        }
    }

    private func expectSame<Attribute: SDPAttribute>(_ attributes: [Attribute], in level: any SDPLevel) {
        for attribute in attributes {
            #expect(Attribute(attribute.value[...]) == attribute)
            // One channel may be said or not.
            let text = level.lines.map { $0.text.replacing("000/1", with: "000").trimmed }
            #expect(text.contains(attribute.line.text), "\(attribute)")
        }
    }

    @Test("The direction of a media line is reversed for an answer", arguments: SDPDirection.allCases)
    func directions(direction: SDPDirection) {
        #expect(direction.reversed.reversed == direction)
        #expect(direction.reversed.sends == direction.receives && direction.reversed.receives == direction.sends)
    }
}

extension String {
    fileprivate var trimmed: String { self.last == " " ? String(self.dropLast()) : self }
}
