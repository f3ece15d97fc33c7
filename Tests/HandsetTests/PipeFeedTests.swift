import Handset
import System
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("Samples from a pipe")
struct PipeFeedTests {
    /// A pipe with somebody to write into it.
    private final class Writer {
        let reading: Int32
        private var writing: Int32

        init() throws {
            let ends = try PipeEnds()
            (self.reading, self.writing) = (ends.reader, ends.writer)
        }

        func write(_ bytes: [UInt8]) {
            precondition(Self.put(self.writing, bytes) == bytes.count, "the pipe is full: \(errno)")
        }

        private static func put(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
            #if canImport(Glibc)
            Glibc.write(descriptor, bytes, bytes.count)
            #else
            Darwin.write(descriptor, bytes, bytes.count)
            #endif
        }

        func end() {
            if self.writing >= 0 { close(self.writing) }
            self.writing = -1
        }

        deinit {
            self.end()
            close(self.reading)
        }
    }

    private static func read(_ feed: PipeFeed, _ count: Int) -> [Float] {
        var sound = [Float](repeating: 9, count: count)
        var span = sound.mutableSpan
        let taken = feed.read(into: &span)
        return Array(sound.prefix(taken))
    }

    @Test("are as loud as they say")
    func values() throws {
        let writer = try Writer()
        let feed = PipeFeed(descriptor: FileDescriptor(writer.reading))
        writer.write([0, 0, 0xFF, 0x7F, 0, 0x80, 0, 0x40])
        #expect(Self.read(feed, 4) == [0, 32767.0 / 32768, -1, 0.5])
        #expect(!feed.isOver)
    }

    @Test("are not waited for")
    func nothingThere() throws {
        let writer = try Writer()
        let feed = PipeFeed(descriptor: FileDescriptor(writer.reading))
        #expect(Self.read(feed, 960).isEmpty && !feed.isOver)
        writer.write([0, 0x40])
        #expect(Self.read(feed, 960) == [0.5] && !feed.isOver)
    }

    @Test("may come in halves")
    func halves() throws {
        let writer = try Writer()
        let feed = PipeFeed(descriptor: FileDescriptor(writer.reading))
        writer.write([0, 0x40, 0])
        #expect(Self.read(feed, 960) == [0.5])
        #expect(Self.read(feed, 960).isEmpty)
        writer.write([0xC0, 0])
        #expect(Self.read(feed, 960) == [-0.5])
        writer.write([0x40])
        #expect(Self.read(feed, 960) == [0.5])
    }

    @Test("keep the two of a moment together, however they come")
    func moments() throws {
        let writer = try Writer()
        let feed = PipeFeed(descriptor: FileDescriptor(writer.reading), channels: 2)
        writer.write([0, 0x40, 0, 0xC0, 0, 0x20])
        #expect(Self.read(feed, 1920) == [0.5, -0.5])
        writer.write([0])
        #expect(Self.read(feed, 1920).isEmpty)
        writer.write([0xE0, 0, 0x40])
        #expect(Self.read(feed, 1920) == [0.25, -0.25])
        writer.write([0, 0xC0])
        #expect(Self.read(feed, 1920) == [0.5, -0.5])
    }

    @Test("leave behind what was not asked for")
    func rest() throws {
        let writer = try Writer()
        let feed = PipeFeed(descriptor: FileDescriptor(writer.reading))
        writer.write([0, 0x40, 0, 0xC0, 0, 0])
        #expect(Self.read(feed, 2) == [0.5, -0.5] && Self.read(feed, 2) == [0])
    }

    @Test("end when nobody writes any more, half a sample included")
    func end() throws {
        let writer = try Writer()
        let feed = PipeFeed(descriptor: FileDescriptor(writer.reading))
        writer.write([0, 0x40, 7])
        writer.end()
        #expect(Self.read(feed, 960) == [0.5])
        #expect(feed.isOver && Self.read(feed, 960).isEmpty)
    }

    @Test("end at once where there is no pipe")
    func nowhere() {
        let feed = PipeFeed(descriptor: FileDescriptor(-1))
        #expect(Self.read(feed, 960).isEmpty)
        let closed = PipeFeed(descriptor: FileDescriptor(1_000_000))
        #expect(Self.read(closed, 960).isEmpty && closed.isOver)
    }
}
