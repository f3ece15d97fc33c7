internal import Reactor
internal import Secure
internal import System
internal import Vocabulary

/// The certificate that nobody vouches for but itself. It is kept in the data directory, so that whoever has once trusted it
/// is not asked again, and is made anew before it ends or when the machine has an address that it does not name.
struct SelfSignedCertificate {
    private let path: String
    private let listen: [SocketAddress]
    private let addresses: () -> [InterfaceAddress]

    static let fileName = "self-signed.pem"
    /// Made anew so long before its end.
    private static let margin = Duration.seconds(30 * 86_400)
    private static let maximumNames = 64
    private static let maximumBytes = 64 << 10

    init(
        in data: DataDirectory, listen: [SocketAddress],
        addresses: @escaping () -> [InterfaceAddress] = InterfaceAddress.all
    ) {
        self.path = data.path(of: Self.fileName)
        self.listen = listen
        self.addresses = addresses
    }

    /// What clients may call this server: the machine and where it listens.
    var names: [String] {
        let everywhere = self.listen.contains { $0.ip == .any || $0.ip == .any6 }
        let own = everywhere ? self.addresses().filter(\.reachesOthers).map(\.ip) : []
        let places = self.listen.map(\.ip).filter { $0 != .any && $0 != .any6 } + own
        var seen = Set<String>()
        let all = ["localhost"] + [HostName.current].compactMap(\.self) + ["127.0.0.1", "::1"] + places.map { "\($0)" }
        return Array(all.filter { seen.insert($0).inserted }.prefix(Self.maximumNames))
    }

    /// The one that is kept, or a new one that is kept from now on.
    func current() throws(SecureError) -> (identity: SelfSignedIdentity, isNew: Bool) {
        let names = self.names
        if let kept = self.kept, kept.remaining > Self.margin, names.allSatisfy({ kept.covers($0) }) {
            return (kept, false)
        }
        let fresh = try SelfSignedIdentity(names: names)
        try self.keep(try fresh.pem)
        return (fresh, true)
    }

    /// What cannot be read is made anew.
    private var kept: SelfSignedIdentity? {
        guard let bytes = try? FileHandle(self.path, for: .reading).contents(maximum: Self.maximumBytes) else {
            return nil
        }
        return try? SelfSignedIdentity(pem: bytes)
    }

    private func keep(_ pem: [UInt8]) throws(SecureError) {
        do throws(SystemError) {
            try FileReplacement.write(pem, to: self.path, .owner)
        } catch {
            throw SecureError("keeping a certificate in \(self.path)", reason: "\(error.errno)")
        }
    }
}
