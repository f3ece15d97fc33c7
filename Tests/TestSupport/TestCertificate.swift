/// An authority of one's own, and a certificate by it for one name.
package final class TestCertificate: Sendable {
    package let folder: TestCertificateFolder
    package var authority: String { "\(self.folder.path)/authority.pem" }
    package var certificate: String { "\(self.folder.path)/server.pem" }
    package var key: String { "\(self.folder.path)/server.key" }

    /// - Parameter names: as in `DNS:localhost,IP:127.0.0.1`.
    package init(_ names: String) throws {
        self.folder = TestCertificateFolder(path: try SupervisedChild.run(script: Self.making, [names]))
    }

    private static let making = """
        set -e
        folder=$(mktemp -d /tmp/parley-ca-XXXXXX); cd "$folder"
        key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }
        {
            key authority.key; key server.key
            openssl req -x509 -new -key authority.key -days 2 -subj "/CN=Authority $$" -out authority.pem
            openssl req -new -key server.key -subj /CN=server -out server.csr
            printf 'subjectAltName=%s\\n' "$1" >server.ext
            openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 \\
                -extfile server.ext -out server.pem
        } >log 2>&1 || { cat log; exit 1; }
        echo "$folder"
        """
}

/// Goes away with its last owner.
package final class TestCertificateFolder: Sendable {
    package let path: String

    init(path: String) { self.path = path }

    deinit { _ = try? SupervisedChild.run(script: "rm -rf \"$1\"", [self.path]) }
}
