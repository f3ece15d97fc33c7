import Reactor
import System
import TestSupport
import Testing
import Vocabulary

@testable import Secure
@testable import Service

@Suite("The self-signed certificate of a service")
struct SelfSignedCertificateTests {
    private let folder: TemporaryFolder
    private var data: DataDirectory { DataDirectory(self.folder.path) }

    init() throws { self.folder = try TemporaryFolder() }

    private func address(_ text: String, isInternal: Bool = false) throws -> InterfaceAddress {
        InterfaceAddress(try #require(IPAddress(text)), on: "eth0", index: 1, isInternal: isInternal)
    }

    private func certificate(on listen: String, addresses: [InterfaceAddress] = []) throws -> SelfSignedCertificate {
        SelfSignedCertificate(in: self.data, listen: [try #require(SocketAddress(listen))]) { addresses }
    }

    @Test("A self-signed certificate is made once, and only its owner can read the file")
    func kept() throws {
        let certificate = try self.certificate(on: "127.0.0.1:8443")
        let first = try certificate.current()
        let second = try certificate.current()
        #expect(first.isNew && !second.isNew && first.identity.fingerprint == second.identity.fingerprint)
        #expect(FileStatus(of: self.data.path(of: "self-signed.pem"))?.isOpenToOthers == false)
    }

    @Test("A self-signed certificate names the addresses that clients reach the server by")
    func names() throws {
        let addresses = try [
            self.address("192.0.2.7"), self.address("2001:db8::7"), self.address("fe80::1"),
            self.address("10.9.9.9", isInternal: true),
        ]
        let everywhere = try self.certificate(on: "[::]:8443", addresses: addresses).current().identity
        for name in ["localhost", "127.0.0.1", "::1", "192.0.2.7", "2001:db8::7"] { #expect(everywhere.covers(name)) }
        for name in ["fe80::1", "10.9.9.9", "192.0.2.8", "example.org"] { #expect(!everywhere.covers(name)) }
        let one = try self.certificate(on: "192.0.2.8:8443", addresses: addresses).current()
        #expect(one.isNew && one.identity.covers("192.0.2.8") && !one.identity.covers("192.0.2.7"))
    }

    @Test("A self-signed certificate is made anew when the machine has another address, not when it has lost one")
    func renewed() throws {
        let (first, second) = (try self.address("192.0.2.7"), try self.address("192.0.2.9"))
        _ = try self.certificate(on: "0.0.0.0:1", addresses: [first]).current()
        #expect(try self.certificate(on: "0.0.0.0:1", addresses: [first, second]).current().isNew)
        #expect(try !self.certificate(on: "0.0.0.0:1", addresses: [second]).current().isNew)
    }

    @Test("A self-signed certificate is made anew before it ends, and when its file is damaged")
    func unusable() throws {
        let certificate = try self.certificate(on: "127.0.0.1:1")
        let old = try SelfSignedIdentity(names: certificate.names, lifetime: .seconds(29 * 86_400))
        #expect(old.remaining <= .seconds(29 * 86_400) && old.remaining > .seconds(28 * 86_400))
        for contents in [String(decoding: try old.pem, as: UTF8.self), "", "-----BEGIN PRIVATE KEY-----\nAAAA\n"] {
            _ = try self.folder.write("self-signed.pem", contents)
            #expect(try certificate.current().isNew)
        }
    }
}
