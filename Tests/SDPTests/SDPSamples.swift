import SDP
import TestSupport
import Testing

/// Descriptions as the stacks of others write them; the fuzzer starts from the same ones.
enum SDPSamples {
    static let names = [
        "rfc8866", "chromium-offer", "chromium-answer", "chromium-audio", "firefox-offer", "aiortc-offer",
        "pion-answer", "rejected-and-unknown",
    ]

    /// Those that can be cut at every byte in no time.
    static let short = ["rfc8866", "chromium-audio", "firefox-offer", "pion-answer", "rejected-and-unknown"]

    static func text(_ name: String) throws -> String {
        try #require(String(validating: SampleFolder.corpus("sdp").read(name), as: UTF8.self))
    }

    static func description(_ name: String) throws -> SDPDescription {
        try SDPDescription(parsing: self.text(name))
    }

    /// The least that is a description, with more at its end.
    static func minimal(_ lines: String...) -> String {
        (["v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0"] + lines).map { "\($0)\r\n" }.joined()
    }

    /// Where the lines that are added to the least begin.
    static let end = Self.minimal().utf8.count
}
