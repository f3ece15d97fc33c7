internal import Arguments
internal import Client
internal import Secure
internal import Service

/// Waking Apple's devices, as options of `serve`.
struct APNsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Key for Apple's push service, a .p8 file: devices may come with its tokens, and are woken by APNs.",
            valueName: "FILE"), completion: .file)
    var apnsKey: String?

    @Option(help: ArgumentHelp("What Apple calls that key, 10 letters and digits.", valueName: "ID"))
    var apnsKeyID: String?

    @Option(help: ArgumentHelp("The Apple developer team it belongs to, 10 letters and digits.", valueName: "ID"))
    var apnsTeam: String?

    @Option(help: ArgumentHelp("Bundle identifier of the app that is woken.", valueName: "BUNDLE"))
    var apnsTopic: String?

    @Option(help: ArgumentHelp("Where pushes for APNs are sent to.", valueName: "URL"))
    var apnsURL = APNsSettings.usualProduction

    @Option(help: ArgumentHelp("Where pushes go for apps that are being developed.", valueName: "URL"))
    var apnsDevelopmentURL = APNsSettings.usualDevelopment

    func validate() throws(ValidationError) { _ = try self.read() }

    var settings: APNsSettings? { (try? self.read()) ?? nil }

    private func read() throws(ValidationError) -> APNsSettings? {
        guard let path = self.apnsKey else { return nil }
        guard let keyID = self.apnsKeyID, let team = self.apnsTeam, let topic = self.apnsTopic else {
            throw ValidationError("--apns-key needs --apns-key-id, --apns-team and --apns-topic beside it")
        }
        guard APNsSettings.isTopic(topic) else {
            throw ValidationError("--apns-topic \(topic): should be a bundle identifier such as org.example.app")
        }
        guard let production = Self.address(self.apnsURL), let development = Self.address(self.apnsDevelopmentURL)
        else {
            throw ValidationError(
                "--apns-url and --apns-development-url: should be https://, or a server on this machine")
        }
        do {
            let key = Array(try TextFile.read(path).utf8)
            _ = try APNsKey(pem: key, keyID: keyID, team: team)
            var settings = APNsSettings(key: key, keyID: keyID, team: team, topic: topic)
            (settings.production, settings.development) = (production, development)
            return settings
        } catch {
            throw ValidationError("--apns-key \(path): \(error)")
        }
    }

    private static func address(_ text: String) -> String? {
        guard let url = ServerURL(text), url.isEncrypted || url.isOnThisMachine else { return nil }
        return "\(url)"
    }
}
