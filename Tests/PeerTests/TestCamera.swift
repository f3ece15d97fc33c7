import VideoStreams

/// Pictures as a camera's encoder would make them, as far as anybody between two browsers can see.
struct TestCamera {
    let codec: VideoCodec
    private(set) var keyFrames = 0
    private(set) var pictures = 0
    private var sequence: Int64 = 1000
    private var wantsKeyFrame = true

    init(_ codec: VideoCodec) {
        self.codec = codec
    }

    mutating func makeKeyFrame() { self.wantsKeyFrame = true }

    /// The packets of the next picture, 33 ms after the one before.
    mutating func next() -> [VideoPacket] {
        let isKeyFrame = self.wantsKeyFrame
        self.wantsKeyFrame = false
        self.keyFrames += isKeyFrame ? 1 : 0
        let payloads = self.payloads(isKeyFrame: isKeyFrame)
        defer { self.pictures += 1 }
        return payloads.enumerated().map { index, payload in
            defer { self.sequence += 1 }
            return VideoPacket(
                header: VideoPacketHeader(
                    stream: 1, sequence: self.sequence, timestamp: UInt32(3000 * self.pictures),
                    isMarked: index == payloads.count - 1, codec: self.codec,
                    startsKeyFrame: self.codec.startsKeyFrame(payload.span)),
                payload: payload)
        }
    }

    private func payloads(isKeyFrame: Bool) -> [[UInt8]] {
        let rest = [UInt8](repeating: 7, count: 1000)
        switch self.codec {
        case .vp8: return [[0x10, isKeyFrame ? 0 : 1] + rest, [0x00] + rest, [0x00] + rest]
        case .h264:
            guard isKeyFrame else { return [[0x5C, 0x81] + rest, [0x5C, 0x01] + rest, [0x5C, 0x41] + rest] }
            return [[0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 1], [0x7C, 0x85] + rest, [0x7C, 0x45] + rest]
        }
    }
}
