/// Which loudspeaker each channel of a recording is meant for.
package struct Speakers: Hashable, Sendable {
    /// In the order, and with the bits, of a WAV channel mask.
    package enum Speaker: Int, CaseIterable, Sendable {
        case frontLeft, frontRight, frontCentre, lowFrequency, backLeft, backRight
        case frontLeftOfCentre, frontRightOfCentre, backCentre, sideLeft, sideRight
        case topCentre, topFrontLeft, topFrontCentre, topFrontRight, topBackLeft, topBackCentre, topBackRight
    }

    /// One for each channel; nil where the file does not say.
    package let speakers: [Speaker?]

    package var count: Int { self.speakers.count }

    /// From a WAV channel mask; channels beyond its bits have no speaker. Mask 0 means the usual layout.
    package init(count: Int, mask: UInt32 = 0) {
        let named = Speaker.allCases.filter { mask & 1 << UInt32($0.rawValue) != 0 }
        let speakers: [Speaker?] = mask == 0 ? Self.usual(count) : Array(named.prefix(count))
        self.speakers = speakers + Array(repeating: nil, count: max(0, count - speakers.count))
    }

    /// The layout of Vorbis and of Opus in Ogg (RFC 7845 §5.1.1.2), which differs from WAV's.
    package init(vorbisOrder count: Int) {
        let table: [[Speaker]] = [
            [.frontCentre], [.frontLeft, .frontRight], [.frontLeft, .frontCentre, .frontRight],
            [.frontLeft, .frontRight, .backLeft, .backRight],
            [.frontLeft, .frontCentre, .frontRight, .backLeft, .backRight],
            [.frontLeft, .frontCentre, .frontRight, .backLeft, .backRight, .lowFrequency],
            [.frontLeft, .frontCentre, .frontRight, .sideLeft, .sideRight, .backCentre, .lowFrequency],
            [.frontLeft, .frontCentre, .frontRight, .sideLeft, .sideRight, .backLeft, .backRight, .lowFrequency],
        ]
        self.speakers = table.indices.contains(count - 1) ? table[count - 1] : Array(repeating: nil, count: count)
    }

    private static func usual(_ count: Int) -> [Speaker?] {
        switch count {
        case 1: [.frontCentre]
        case 2: [.frontLeft, .frontRight]
        case 3: [.frontLeft, .frontRight, .frontCentre]
        case 4: [.frontLeft, .frontRight, .backLeft, .backRight]
        case 5: [.frontLeft, .frontRight, .frontCentre, .backLeft, .backRight]
        case 6: [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .backLeft, .backRight]
        case 7: [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .backCentre, .sideLeft, .sideRight]
        case 8:
            [.frontLeft, .frontRight, .frontCentre, .lowFrequency, .backLeft, .backRight, .sideLeft, .sideRight]
        default: Array(repeating: nil, count: count)
        }
    }

    /// The WAV channel mask of these speakers; 0 when one of them has none.
    package var mask: UInt32 {
        guard self.speakers.allSatisfy({ $0 != nil }) else { return 0 }
        return self.speakers.reduce(0) { $0 | 1 << UInt32($1?.rawValue ?? 0) }
    }

    /// For each channel of the WAV order, the channel here that holds it.
    package var wavOrder: [Int] {
        guard self.mask != 0 else { return Array(self.speakers.indices) }
        return self.speakers.indices.sorted {
            (self.speakers[$0]?.rawValue ?? 0) < (self.speakers[$1]?.rawValue ?? 0)
        }
    }

    /// What each channel weighs in one: the coefficients of ITU-R BS.775 for mono, scaled so that the
    /// loudest recording still fits. The low frequency channel is left out, as BS.775 does.
    package var monoWeights: [Float] {
        let weights = self.speakers.map { speaker -> Float in
            switch speaker {
            case .frontCentre, nil: 1
            case .frontLeft, .frontRight, .frontLeftOfCentre, .frontRightOfCentre: Float(0.5).squareRoot()
            case .lowFrequency: 0
            default: 0.5
            }
        }
        let sum = weights.reduce(0, +)
        return sum > 0 ? weights.map { $0 / sum } : weights.map { _ in 1 / Float(max(1, weights.count)) }
    }

    /// What each channel weighs in a loudness measurement (ITU-R BS.1770-4, table 3).
    package var loudnessWeights: [Double] {
        self.speakers.map { speaker in
            switch speaker {
            case .lowFrequency: 0
            case .backLeft, .backRight, .sideLeft, .sideRight: 1.41
            default: 1
            }
        }
    }
}
