import System
import HTTPServer
import Journal
import Reactor
import Secure
import Sessions
import TestSupport
import Testing
import Vocabulary
import Web

@testable import Service

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("The service", .timeLimit(.minutes(2)))
struct ParleyServiceTests {
    private let folder: TemporaryFolder
    private var configuration = ServiceConfiguration()
    private let recorder = JournalRecorder()

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.folder("data")
        self.configuration.listen = [SocketAddress(.loopback, port: 0)]
        self.configuration.admin = SocketAddress(.loopback, port: 0)
        self.configuration.data = DataDirectory("\(self.folder.path)/data")
        self.configuration.loops = 2
    }

    private func make(_ change: (inout ServiceConfiguration) -> Void = { _ in }) throws -> ParleyService {
        var configuration = self.configuration
        change(&configuration)
        return try ParleyService(configuration, journal: Journal(level: .trace, sink: self.recorder))
    }

    @Test("says where it is, when it is ready and when it has ended")
    func life() throws {
        let service = try self.make()
        #expect(service.health.whyNotReady == ["the service is starting"])
        let addresses = try service.start()
        #expect(addresses.listen.port != 0 && addresses.admin.port != 0 && addresses.listen != addresses.admin)
        #expect(service.health.whyNotReady.isEmpty)
        service.stop()
        service.waitUntilEnded()
        #expect(service.health.whyNotReady == ["the service is shutting down"])
        let names = self.recorder.events.map { "\($0.name)" }.filter { $0.hasPrefix("serve.") }
        #expect(names == ["serve.descriptor_limit", "serve.ready", "serve.draining", "serve.ended"])
        #expect(self.recorder.events(named: .serving)[0][.address] == .plain(addresses.listen))
    }

    @Test("may be told to stop twice, and after its end")
    func stopTwice() throws {
        let service = try self.make()
        _ = try service.start()
        service.stop()
        service.stop()
        service.waitUntilEnded()
        service.stop()
        #expect(self.recorder.events(named: .ended).count == 1)
    }

    @Test("says which address is taken, and leaves nothing behind", arguments: [true, false])
    func addressInUse(isAdmin: Bool) throws {
        let first = try self.make()
        let addresses = try first.start()
        defer {
            first.stop()
            first.waitUntilEnded()
        }
        let taken = addresses.listen
        let second = try self.make {
            $0.data = DataDirectory(self.folder.path + "/second")
            if isAdmin { $0.admin = taken } else { $0.listen = [taken] }
        }
        let error = #expect(throws: ReactorError.self) { try second.start() }
        #expect(error?.isAddressInUse == true && error?.subject == "\(taken)")
    }

    @Test("names the folder it cannot use")
    func dataDirectory() throws {
        let file = try self.folder.write("file", "")
        let error = #expect(throws: DataDirectoryError.self) {
            try self.make { $0.data = DataDirectory("\(file)/data") }
        }
        #expect(error?.description.contains("\(file)/data") == true)
        #expect(error?.description.contains("choose another with --data") == true)
    }

    @Test("names the certificate it cannot read")
    func certificate() throws {
        let error = #expect(throws: SecureError.self) {
            try self.make { $0.tls = .files(certificate: "/nowhere/a.pem", key: "/nowhere/b.pem") }
        }
        #expect(error?.description.hasPrefix("reading the certificate in /nowhere/a.pem: ") == true)
    }

    @Test("raises the limit of descriptors as far as it goes")
    func descriptors() {
        var limit = rlimit()
        getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
        #expect(CurrentProcess.raiseDescriptorLimit() == Int(clamping: limit.rlim_max))
    }

    @Test("takes messages as large as it tells its clients, and larger ones from tests only when it is told to")
    func testEndpoints() {
        var configuration = self.configuration
        #expect(configuration.effectiveHTTP.webSocketLimits.maximumMessageBytes == configuration.engine.maxPayload)
        configuration.exposesTestEndpoints = true
        #expect(configuration.effectiveHTTP.webSocketLimits.maximumMessageBytes == 16 << 20)
    }
}
