/// Finds the pages in the bytes of an Ogg file, and finds the next whole page after damage.
package struct OggPageReader: Sendable {
    package enum Event: Hashable, Sendable {
        /// A page, and where it lies in the file.
        case page(OggPage, offset: Int)
        /// Bytes that are no page; they have been left out.
        case damage(offset: Int, count: Int)
    }

    package private(set) var input = InputBuffer()
    /// Places that look like a page and are none. Each costs a checksum, so there is an end to the search:
    /// after it, the rest of the file counts as damage.
    private var falseStarts = 0
    private static let maximumFalseStarts = 16_384
    /// Where damage began that has not been told yet.
    private var damageStart: Int?

    package init() {}

    package mutating func append(_ bytes: Span<UInt8>) { self.input.append(bytes) }
    package mutating func finish() { self.input.finish() }

    /// The next event, or nil when more bytes are needed (or, after `finish`, when there is nothing left).
    package mutating func next() -> Event? {
        while self.input.count > 0 {
            let isLost = self.falseStarts >= Self.maximumFalseStarts
            let skipped = isLost ? self.input.count : Self.distanceToMagic(in: self.input.unread)
            if skipped > 0 {
                self.skip(skipped)
                continue
            }
            do throws(OggPage.Failure) {
                let page = try OggPage(parsing: self.input.unread)
                if let damage = self.takeDamage() { return damage }
                let offset = self.input.offset
                self.input.drop(page.size)
                return .page(page, offset: offset)
            } catch {
                guard error == .damaged || self.input.isFinished else { return nil }
                self.falseStarts += 1
                self.skip(1)
            }
        }
        return self.input.isFinished ? self.takeDamage() : nil
    }

    private mutating func skip(_ count: Int) {
        if self.damageStart == nil { self.damageStart = self.input.offset }
        self.input.drop(count)
    }

    private mutating func takeDamage() -> Event? {
        guard let start = self.damageStart else { return nil }
        self.damageStart = nil
        return .damage(offset: start, count: self.input.offset - start)
    }

    /// How many bytes stand before the next place where a page may begin.
    private static func distanceToMagic(in bytes: Span<UInt8>) -> Int {
        for start in bytes.indices where bytes[start] == 0x4F {
            let known = min(4, bytes.count - start)
            if (1..<known).allSatisfy({ bytes[start + $0] == OggPage.magic[$0] }) { return start }
        }
        return bytes.count
    }
}
