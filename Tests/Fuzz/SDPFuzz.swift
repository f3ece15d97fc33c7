import SDP

/// Whatever comes, a description is refused or means the same after it was written anew, and so do its attributes.
enum SDPFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        guard let description = try? SDPDescription(parsing: input.span) else { return }
        let again = try? SDPDescription(parsing: description.text)
        demand(again == description, "a description changed: \(description.text)")
        self.walk(description)
        for section in description.media {
            self.walk(section)
            _ = (section.isRejected, section.connection, section.candidates, section.feedback(for: 111))
            _ = (section.rtpMap(of: 111), section.parameters(of: "111")?["useinbandfec"])
            _ = (description.direction(of: section), description.all(SDPFingerprint.self, for: section))
            if let name = section.mediaID { demand(description.index(of: name) != nil, "a section lost its name") }
        }
    }

    private static func walk(_ level: some SDPLevel) {
        self.check(level.all(SDPUsernameFragment.self))
        self.check(level.all(SDPPassword.self))
        self.check(level.all(SDPFingerprint.self))
        self.check(level.all(SDPSetup.self))
        self.check(level.all(SDPMediaID.self))
        self.check(level.all(SDPGroup.self))
        self.check(level.all(SDPRTPMap.self))
        self.check(level.all(SDPFormatParameters.self))
        self.check(level.all(SDPFeedback.self))
        self.check(level.all(SDPHeaderExtension.self))
        self.check(level.all(SDPSource.self))
        self.check(level.all(SDPSourceGroup.self))
        self.check(level.all(SDPStreamID.self))
        _ = (level.direction, level.iceOptions, level.bandwidth("AS"), level.number(of: "ptime"))
    }

    private static func check<Attribute: SDPAttribute>(_ attributes: [Attribute]) {
        for attribute in attributes {
            demand(Attribute(attribute.value[...]) == attribute, "an attribute changed: \(attribute.line)")
        }
    }
}
