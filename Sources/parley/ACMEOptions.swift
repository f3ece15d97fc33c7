import ACME
import Arguments
import Client
import Service

/// A certificate from an authority, as options of `serve`.
struct ACMEOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Domain name for which a certificate is obtained by ACME, and renewed in time; port 443 of that name has to \
            lead to this server.
            """, valueName: "NAME"))
    var acme: [DomainName] = []

    @Flag(help: "Agree to the terms of service of the authority that gives the certificate.")
    var acmeAgree = false

    @Option(
        help: ArgumentHelp("Mail address by which the authority reaches you.", valueName: "ADDRESS"))
    var acmeContact: [String] = []

    @Option(help: ArgumentHelp("Directory of the authority; default: that of Let's Encrypt.", valueName: "URL"))
    var acmeDirectory: HTTPURL?

    @Option(
        help: ArgumentHelp(
            "Root certificate (PEM) to trust when the directory is asked, in place of the system's.", valueName: "FILE"),
        completion: .file)
    var acmeCA: String?

    private static let terms = "https://letsencrypt.org/repository/"

    func validate() throws(ValidationError) {
        guard !self.acme.isEmpty else {
            guard !self.acmeAgree, self.acmeContact.isEmpty, self.acmeDirectory == nil, self.acmeCA == nil else {
                throw ValidationError("--acme-agree, --acme-contact, --acme-directory and --acme-ca need --acme")
            }
            return
        }
        if self.acme.count > ACMESettings.maximumNames {
            throw ValidationError("--acme: a certificate has at most \(ACMESettings.maximumNames) names")
        }
        if let directory = self.acmeDirectory, !directory.server.isEncrypted {
            throw ValidationError("--acme-directory \(directory): ACME goes by TLS (https://)")
        }
        for contact in self.acmeContact where !Self.isMailAddress(contact) {
            throw ValidationError("--acme-contact \(contact): should be a mail address such as admin@example.org")
        }
        guard self.acmeAgree else {
            let place = self.acmeDirectory == nil ? " (\(Self.terms))" : ""
            throw ValidationError(
                "--acme: the authority gives certificates to those who agree to its terms of service\(place); say --acme-agree"
            )
        }
    }

    private static func isMailAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty
            && parts[0].utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3F }
            && DomainName(argument: String(parts[1])) != nil
    }

    /// Nil without names.
    var settings: ACMESettings? {
        guard !self.acme.isEmpty else { return nil }
        var settings = ACMESettings(names: self.acme.map(\.text))
        if let directory = self.acmeDirectory { settings.directory = directory.description }
        settings.contacts = self.acmeContact.map { "mailto:\($0)" }
        settings.authorities = self.acmeCA
        return settings
    }
}

/// A name that an authority can look up: at least two labels, no address, no wildcard.
struct DomainName: Hashable, Sendable, ExpressibleByArgument {
    let text: String

    private static let maximumBytes = 253
    private static let maximumLabelBytes = 63

    init?(argument: String) {
        let text = argument.lowercased()
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, text.utf8.count <= Self.maximumBytes, labels.allSatisfy(Self.isLabel),
            labels.last?.utf8.contains(where: { (97...122).contains($0) }) == true
        else { return nil }
        self.text = text
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...self.maximumLabelBytes).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
    }

    static var valueName: String? { "NAME" }
    static var expectation: String { "a domain name such as talk.example.org" }
    var argumentDescription: String { self.text }
}
