internal import Bytes

/// Alerts of DTLS that are not secret yet, which anyone who knows the two addresses can forge.
enum PlainAlerts {
    private static let alert: UInt8 = 21
    /// Kind, version, epoch, number and length of a record (RFC 6347 §4.1).
    private static let headerBytes = 13

    /// The records of a datagram without those, and whether there were any. What is no record stays, for others to judge.
    static func taken(from datagram: Span<UInt8>) -> (rest: [UInt8], were: Bool) {
        var rest: [UInt8] = []
        var (start, were) = (0, false)
        while start + Self.headerBytes <= datagram.count {
            let length = Int(datagram[start + 11]) << 8 | Int(datagram[start + 12])
            let end = min(start + Self.headerBytes + length, datagram.count)
            let isPlain = datagram[start + 3] == 0 && datagram[start + 4] == 0
            if datagram[start] == Self.alert, isPlain {
                were = true
            } else {
                rest.append(copying: datagram.extracting(start..<end))
            }
            start = end
        }
        rest.append(copying: datagram.extracting(start..<datagram.count))
        return (rest, were)
    }
}
