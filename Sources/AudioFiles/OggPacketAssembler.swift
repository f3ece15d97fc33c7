/// Cuts the pages of one stream back into packets (RFC 3533 §5).
struct OggPacketAssembler: Sendable {
    /// Room for a packet of 255 streams would be 15 MB; eight channels at 120 ms need a fraction of this.
    static let maximumSoundPacketBytes = 256 << 10

    let serial: UInt32
    var limit = OpusTags.maximumPacketBytes
    private var lastSequence: UInt32
    private var packets: [[UInt8]] = []
    /// The front of a packet that goes on with the next page; nil when none does.
    private var partial: [UInt8]?
    private(set) var isTooLarge = false

    init(serial: UInt32 = 0, after sequence: UInt32 = 0) {
        self.serial = serial
        self.lastSequence = sequence
    }

    /// Takes a page in; false when pages before it, or the front of its first packet, are missing.
    mutating func add(_ page: OggPage) -> Bool {
        let follows = page.sequence == self.lastSequence &+ 1
        self.lastSequence = page.sequence
        let isWhole = follows && page.isContinued == (self.partial != nil)
        // The front of the first packet is missing: its rest is worth nothing.
        var isSkipping = page.isContinued && !isWhole
        if !isWhole { self.partial = nil }
        var start = 0
        var end = 0
        for (index, size) in page.lacing.enumerated() {
            end += Int(size)
            guard size < 255 || index == page.lacing.count - 1 else { continue }
            if !isSkipping { self.take(page.body[start..<end], isComplete: size < 255) }
            if size < 255 { isSkipping = false }
            start = end
        }
        return isWhole
    }

    private mutating func take(_ piece: ArraySlice<UInt8>, isComplete: Bool) {
        let packet = (self.partial ?? []) + piece
        self.isTooLarge = self.isTooLarge || packet.count > self.limit
        self.partial = isComplete ? nil : packet
        if isComplete { self.packets.append(packet) }
    }

    mutating func take() -> [UInt8]? {
        self.packets.isEmpty ? nil : self.packets.removeFirst()
    }
}
