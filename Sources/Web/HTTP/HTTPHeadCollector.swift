internal import Bytes

/// Brings the head of a message together, however many reads it takes.
///
/// A head that lies whole in one read is read where it lies; only what is cut is held, and never more of it
/// than the limits allow.
struct HTTPHeadCollector: Sendable {
    private let fresh: HTTPSectionScanner
    private var scanner: HTTPSectionScanner
    private var held: [UInt8] = []

    init(_ scanner: HTTPSectionScanner) {
        self.fresh = scanner
        self.scanner = scanner
    }

    /// True before the first byte of a head.
    var isIdle: Bool { !self.scanner.hasBegun }

    /// What `read` makes of the head once it is complete; nil while it is not.
    mutating func next<Head>(
        in bytes: Span<UInt8>, from offset: inout Int,
        read: (Span<UInt8>) throws(HTTPParseError) -> Head
    ) throws(HTTPParseError) -> Head? {
        let start = offset
        guard try self.scanner.scan(bytes, from: &offset) else {
            self.held.append(copying: bytes.extracting(start..<offset))
            return nil
        }
        let leading = self.scanner.leadingBytes
        self.scanner = self.fresh
        guard !self.held.isEmpty else {
            return try Self.read(bytes.extracting((start + leading)..<offset), at: start + leading, read)
        }
        self.held.append(copying: bytes.extracting(start..<offset))
        defer { self.held = [] }
        let head = self.held.span.extracting(leading..<self.held.count)
        return try Self.read(head, at: offset - head.count, read)
    }

    /// Errors inside the head become errors inside the bytes passed in.
    private static func read<Head>(
        _ head: Span<UInt8>, at start: Int, _ read: (Span<UInt8>) throws(HTTPParseError) -> Head
    ) throws(HTTPParseError) -> Head {
        do throws(HTTPParseError) {
            return try read(head)
        } catch {
            throw error.moved(by: start)
        }
    }
}
