import SDP
import TestSupport
import Testing

@Suite("A session description")
struct SDPDescriptionTests {
    @Test("is written as it was read, whoever wrote it", arguments: SDPSamples.names)
    func roundTrip(name: String) throws {
        let text = try SDPSamples.text(name)
        let description = try SDPDescription(parsing: text)
        #expect(description.text == text)
        #expect(try SDPDescription(parsing: description.text) == description)
    }

    @Test("may end its lines in LF, and may end in empty lines or without an end", arguments: SDPSamples.names)
    func lineEnds(name: String) throws {
        let text = try SDPSamples.text(name)
        let description = try SDPDescription(parsing: text)
        let unix = text.replacing("\r\n", with: "\n")
        #expect(try SDPDescription(parsing: unix) == description)
        #expect(try SDPDescription(parsing: String(unix.dropLast())) == description)
        #expect(try SDPDescription(parsing: text + "\r\n\r\n") == description)
    }

    @Test("cut anywhere is refused, or is the same lines less the last", arguments: SDPSamples.short)
    func cut(name: String) throws {
        let bytes = Array(try SDPSamples.text(name).utf8)
        for count in 0..<bytes.count {
            guard let cut = try? SDPDescription(parsing: bytes.span.extracting(first: count)) else { continue }
            let written = Array(cut.text.utf8)
            #expect(bytes.starts(with: written.dropLast(2)), "cut at \(count)")
            #expect(count - (written.count - 2) <= 3, "cut at \(count)")
        }
    }

    @Test("changed at random is refused, or means the same after it was written anew", arguments: SDPSamples.names)
    func mutations(name: String) throws {
        let bytes = Array(try SDPSamples.text(name).utf8)
        for seed in 0..<50 {
            var random = SeededRandom(seed: UInt64(seed))
            var changed = bytes
            for _ in 0...Int.random(in: 0...4, using: &random) {
                let place = Int.random(in: 0..<changed.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: changed[place] = .random(in: 0...255, using: &random)
                case 1: changed.remove(at: place)
                case 2: changed.insert(contentsOf: "\r\na=:/ 0".utf8.shuffled(using: &random), at: place)
                default: changed[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                }
            }
            guard let description = try? SDPDescription(parsing: changed.span) else { continue }
            #expect(try SDPDescription(parsing: description.text) == description)
        }
    }

    @Test(
        "says where it stops making sense",
        arguments: [
            ("", SDPError(.missing("v"), at: 0)),
            ("v=1\n", SDPError(.missing("v"), at: 0)),
            ("o=- 1 1 IN IP4 0.0.0.0\n", SDPError(.missing("v"), at: 0)),
            ("v=0\n", SDPError(.missing("o"), at: 4)),
            ("v=0\no=-\n", SDPError(.malformed("o"), at: 4)),
            ("v=0\no=- 1 -1 IN IP4 0.0.0.0\n", SDPError(.malformed("o"), at: 4)),
            ("v=0\no=- 1 1 IN IP4 0.0.0.0\nm=audio 9 X 0\n", SDPError(.missing("s"), at: 27)),
            (SDPSamples.minimal("v=0"), SDPError(.malformed("v"), at: SDPSamples.end)),
            (SDPSamples.minimal("o=- 1 1 IN IP4 0.0.0.0"), SDPError(.malformed("o"), at: SDPSamples.end)),
            (SDPSamples.minimal("A=b"), SDPError(.badLine, at: SDPSamples.end)),
            (SDPSamples.minimal("a b"), SDPError(.badLine, at: SDPSamples.end)),
            (SDPSamples.minimal("a"), SDPError(.badLine, at: SDPSamples.end)),
            (SDPSamples.minimal("", "a=b"), SDPError(.badLine, at: SDPSamples.end)),
            (SDPSamples.minimal("a=b\0"), SDPError(.badLine, at: SDPSamples.end)),
            (SDPSamples.minimal("a=b\rc"), SDPError(.badLine, at: SDPSamples.end)),
            (SDPSamples.minimal("a="), SDPError(.malformed("a"), at: SDPSamples.end)),
            (SDPSamples.minimal("a=b c:d"), SDPError(.malformed("a"), at: SDPSamples.end)),
        ])
    func offsets(text: String, error: SDPError) {
        #expect(throws: error) { try SDPDescription(parsing: text) }
    }

    @Test("has to be UTF-8")
    func encoding() {
        let bytes = Array(SDPSamples.minimal("a=b:ü").utf8) + Array("a=c:".utf8) + [0xFF, 0x0D, 0x0A]
        #expect(throws: SDPError(.notUTF8, at: SDPSamples.end + 8)) { try SDPDescription(parsing: bytes.span) }
    }

    @Test(
        "refuses a section nobody could set up",
        arguments: [
            "m=audio", "m=audio 9 UDP/TLS/RTP/SAVPF", "m=audio 9 UDP/TLS/RTP/SAVPF ", "m=audio 65536 A 0",
            "m=audio -1 A 0", "m=audio 9/x A 0", "m=audio 9  A 0", "m= 9 A 0", "m=audio 9  0", "m=au(dio 9 A 0",
        ])
    func sections(line: String) {
        #expect(throws: SDPError(.malformed("m"), at: SDPSamples.end)) {
            try SDPDescription(parsing: SDPSamples.minimal(line))
        }
    }

    @Test("keeps to its limits")
    func limits() throws {
        var limits = SDPLimits()
        limits.bytes = 120
        limits.lines = 6
        limits.lineBytes = 30
        limits.media = 1
        _ = try SDPDescription(parsing: SDPSamples.minimal("m=audio 9 A 0"), limits: limits)
        let tooMuch = [
            SDPSamples.minimal("m=audio 9 A 0", "m=audio 9 A 0"), SDPSamples.minimal("a=b", "a=b", "a=b"),
            SDPSamples.minimal("a=b:" + String(repeating: "c", count: 30)),
        ]
        for text in tooMuch {
            #expect(throws: SDPError.self) { try SDPDescription(parsing: text, limits: limits) }
        }
        #expect(throws: SDPError(.tooMuch, at: 120)) {
            try SDPDescription(parsing: String(repeating: "a", count: 121), limits: limits)
        }
    }

    @Test("gives a name to one section only")
    func sameName() {
        let text = SDPSamples.minimal("m=audio 9 A 0", "a=mid:x", "m=audio 9 A 0", "a=mid:x")
        #expect(throws: SDPError(.sameMediaID, at: SDPSamples.end + 39)) { try SDPDescription(parsing: text) }
    }

    @Test("can be made, changed and read again")
    func made() throws {
        var description = SDPDescription(origin: SDPOrigin(session: .max))
        description.append(SDPGroup("BUNDLE", ["0"]))
        description.append(.extmapAllowMixed)
        var audio = SDPMedia("audio", formats: ["111", "63"])
        audio.append(SDPRTPMap(111, "opus", clockRate: 48_000, channels: 2))
        audio.append(SDPFormatParameters("63", "111/111"))
        audio.append(SDPHeaderExtension(1, SDPHeaderExtension.audioLevel, attributes: "vad=on"))
        audio.append(candidate: "candidate:1 1 udp 1 192.0.2.1 9 typ host")
        audio.direction = .sendOnly
        audio.append(.rtcpMux)
        description.media = [audio]
        description.origin?.version = 2
        #expect(
            description.text.split(separator: "\r\n") == [
                "v=0", "o=- 9223372036854775807 2 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE 0",
                "a=extmap-allow-mixed", "m=audio 9 UDP/TLS/RTP/SAVPF 111 63", "c=IN IP4 0.0.0.0",
                "a=rtpmap:111 opus/48000/2", "a=fmtp:63 111/111",
                "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level vad=on",
                "a=candidate:1 1 udp 1 192.0.2.1 9 typ host", "a=sendonly", "a=rtcp-mux",
            ])
        #expect(try SDPDescription(parsing: description.text) == description)
    }

    @Test("puts what is set in the place of what was there")
    func setting() throws {
        var section = try #require(try SDPSamples.description("chromium-audio").media.first)
        let count = section.lines.count
        let place = section.lines.firstIndex { $0.isAttribute("setup") }
        section.set(SDPSetup.active)
        section.direction = .inactive
        #expect(section.first(SDPSetup.self) == .active && section.direction == .inactive)
        #expect(section.lines.count == count && section.lines.firstIndex { $0.isAttribute("setup") } == place)
        section.set(.rtcpMux, to: false)
        section.set(.endOfCandidates, to: true)
        section.set(.endOfCandidates, to: true)
        section.direction = nil
        #expect(!section.has(.rtcpMux) && section.has(.endOfCandidates) && section.direction == nil)
        #expect(section.lines.count == count - 1)
    }
}
