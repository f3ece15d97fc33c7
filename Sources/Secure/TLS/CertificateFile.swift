internal import COpenSSL

/// A certificate of somebody's own, as it lies on the disk.
package enum CertificateFile {
    /// How long the first certificate of a PEM file is still good; less than nothing when it is not.
    package static func remaining(in path: String) throws(SecureError) -> Duration {
        guard let file = unsafe BIO_new_file(path, "r") else {
            throw SecureError("reading the certificate in \(path)", ofFile: path)
        }
        defer { unsafe BIO_free(file) }
        guard let certificate = unsafe PEM_read_bio_X509(file, nil, nil, nil) else {
            throw SecureError("reading the certificate in \(path)", ofFile: path)
        }
        defer { unsafe X509_free(certificate) }
        return unsafe self.remaining(of: certificate)
    }

    static func remaining(of certificate: OpaquePointer) -> Duration {
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard unsafe ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate)) == 1 else { return .zero }
        return .seconds(Int64(days) * 86_400 + Int64(seconds))
    }
}
