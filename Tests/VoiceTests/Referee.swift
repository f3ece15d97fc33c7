import COpusFile

/// libopusfile, the reference reader of Ogg Opus: what it says of a file, ours has to say too.
struct Referee {
    var samples: [Float] = []
    var channels = 0
    /// The length it reads from the granule positions alone.
    var announced = 0
    var links = 0
    var holes = 0

    /// Nil when the file is none for it.
    init?(_ bytes: [UInt8]) {
        var code: Int32 = 0
        guard let file = op_open_memory(bytes, bytes.count, &code) else { return nil }
        defer { op_free(file) }
        self.channels = Int(op_channel_count(file, -1))
        self.announced = Int(op_pcm_total(file, -1))
        self.links = Int(op_link_count(file))
        var room = [Float](repeating: 0, count: 5760 * 8)
        while true {
            let count = op_read_float(file, &room, Int32(room.count), nil)
            if count == OP_HOLE {
                self.holes += 1
                continue
            }
            guard count > 0 else { return }
            self.samples += room[..<(Int(count) * self.channels)]
        }
    }
}
