import Journal
import Reactor
import Secure
import TestSupport
import Testing

@testable import Service

@Suite("The keeper of certificates")
struct CertificateKeeperTests {
    private let folder: TemporaryFolder
    private let clock = ManualScheduler()
    private let recorder = JournalRecorder()
    private let desk: Desk
    private let keeper: CertificateKeeper

    /// Where what was read is put. What the files say does not matter here, only that they can be told apart.
    private final class Desk {
        let context: TLSContext
        var isReadable = true
        var reads = 0
        var uses = 0

        init() throws { self.context = try TLSContext(try SelfSignedIdentity(names: ["localhost"])) }

        func load(_ certificate: String, _ key: String) throws(SecureError) -> TLSContext {
            self.reads += 1
            guard self.isReadable else {
                throw SecureError("reading the certificate in \(certificate)", reason: "half")
            }
            return self.context
        }
    }

    init() throws {
        self.folder = try TemporaryFolder()
        let desk = try Desk()
        self.desk = desk
        self.keeper = CertificateKeeper(
            certificate: try self.folder.write("cert.pem", "first"), key: try self.folder.write("key.pem", "first"),
            on: self.clock, journal: Journal(level: .trace, sink: self.recorder), load: desk.load,
            use: { _ in desk.uses += 1 })
    }

    @Test("looks every ten seconds, and reads only what has changed")
    func looks() throws {
        self.clock.advance(by: .seconds(100))
        #expect(self.desk.reads == 0)
        try self.folder.write("cert.pem", "second, and longer")
        self.clock.advance(by: .milliseconds(9_999))
        #expect(self.desk.reads == 0)
        self.clock.advance(by: .milliseconds(1))
        #expect(self.desk.reads == 1 && self.desk.uses == 1)
        self.clock.advance(by: .seconds(100))
        #expect(self.desk.reads == 1)
        try self.folder.write("key.pem", "second, and longer")
        self.clock.advance(by: .seconds(10))
        #expect(self.desk.uses == 2 && self.recorder.events(named: .tlsReloaded).count == 2)
    }

    @Test("keeps the old one while the files do not fit together, and says so once for each change")
    func misfit() throws {
        self.desk.isReadable = false
        try self.folder.write("cert.pem", "half of a new pair")
        self.clock.advance(by: .seconds(60))
        #expect(self.desk.reads == 1 && self.desk.uses == 0)
        #expect(self.recorder.events(named: .tlsReloadFailed).count == 1)
        self.desk.isReadable = true
        try self.folder.write("key.pem", "the other half")
        self.clock.advance(by: .seconds(10))
        #expect(self.desk.uses == 1)
    }

    @Test("reads at once when it is told to, changed or not")
    func told() {
        self.keeper.reload()
        #expect(self.desk.reads == 1 && self.desk.uses == 1)
        self.clock.advance(by: .seconds(60))
        #expect(self.desk.reads == 1)
    }

    @Test("stops looking when it is let go")
    func gone() throws {
        let clock = ManualScheduler()
        do {
            let desk = self.desk
            let keeper = CertificateKeeper(
                certificate: self.folder.place("cert.pem"), key: self.folder.place("key.pem"), on: clock,
                journal: Journal(level: .trace, sink: self.recorder), load: desk.load, use: { _ in })
            keeper.reload()
        }
        clock.advance(by: .seconds(10))
        #expect(clock.timerCount == 0)
    }
}
