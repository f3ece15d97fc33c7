internal import ACME
internal import Reactor
internal import Secure
internal import System

/// What is kept of certificates from an authority: the key of the account there, and the certificate in use.
struct ACMEFiles {
    private let data: DataDirectory

    static let account = "acme-account.pem"
    static let certificate = "acme-certificate.pem"

    init(in data: DataDirectory) { self.data = data }

    /// Nil when there is none, or none that can be read: then another one is asked for.
    var certificate: IssuedCertificate? {
        guard let pem = try? self.read(Self.certificate) else { return nil }
        return try? IssuedCertificate(pem: pem)
    }

    /// The kept key, or a new one that is kept from now on. A key that cannot be read is named, never replaced.
    func accountKey() throws(ACMEError) -> ACMEAccountKey {
        let path = self.data.path(of: Self.account)
        do throws(SecureError) {
            if FileSystem.exists(path) { return ACMEAccountKey(try P256Key(pem: try self.read(Self.account))) }
            let key = try P256Key()
            try self.write(try key.pem, Self.account)
            return ACMEAccountKey(key)
        } catch {
            throw .notMade(error)
        }
    }

    func keep(_ certificate: IssuedCertificate) throws(SecureError) {
        try self.write(certificate.pem, Self.certificate)
    }

    private func read(_ name: String) throws(SecureError) -> [UInt8] {
        let path = self.data.path(of: name)
        do throws(SystemError) {
            return try FileHandle(path, for: .reading).contents(maximum: IssuedCertificate.maximumBytes)
        } catch {
            throw SecureError("reading \(path)", reason: "\(error.errno)")
        }
    }

    private func write(_ pem: [UInt8], _ name: String) throws(SecureError) {
        let path = self.data.path(of: name)
        do throws(SystemError) {
            try FileReplacement.write(pem, to: path, .owner)
        } catch {
            throw SecureError("keeping \(path)", reason: "\(error.errno)")
        }
    }
}
