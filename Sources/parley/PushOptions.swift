internal import Arguments
internal import Client
internal import Secure
internal import Service

/// Waking devices that sleep, as options of `serve`.
struct PushOptions: ParsableArguments {
    @Option(help: "Whether devices that sleep are woken for messages, by Web Push.")
    var push = PushSwitch.on

    @Option(help: "What a push tells about a message: sender and first words, only the sender, or nothing.")
    var pushContent = PushSettings().content

    @Option(
        help: ArgumentHelp(
            "Contact address for push services: a mailto: or https: URL.", valueName: "URL"))
    var pushContact: String?

    @Option(
        help: ArgumentHelp(
            "Service account of a Firebase project, as JSON: devices may come with its tokens, and are woken by FCM.",
            valueName: "FILE"), completion: .file)
    var fcmCredentials: String?

    @Option(
        help:
            "Who shows what comes by FCM: the device's program, which is given the data, or the system with a notification."
    )
    var fcmStyle = FCMSettings.Style.data

    @Option(help: ArgumentHelp("Where messages for FCM are sent to.", valueName: "URL"))
    var fcmURL = FCMSettings.usualService

    @OptionGroup var apns: APNsOptions

    func validate() throws(ValidationError) {
        try self.validateContact()
        _ = try self.fcm()
    }

    private func fcm() throws(ValidationError) -> FCMSettings? {
        guard let path = self.fcmCredentials else { return nil }
        guard let url = ServerURL(self.fcmURL), url.isEncrypted || url.isOnThisMachine else {
            throw ValidationError("--fcm-url \(self.fcmURL): should be https://, or a server on this machine")
        }
        do {
            let credentials = Array(try TextFile.read(path).utf8)
            let account = try ServiceAccount(parsing: credentials)
            guard let token = HTTPURL(account.tokenURL), token.server.isEncrypted || token.server.isOnThisMachine else {
                throw ValidationError("--fcm-credentials \(path): its 'token_uri' should be https://")
            }
            var settings = FCMSettings(credentials: credentials)
            (settings.style, settings.service) = (self.fcmStyle, "\(url)")
            return settings
        } catch let error as ValidationError {
            throw error
        } catch {
            throw ValidationError("--fcm-credentials \(path): \(error)")
        }
    }

    private func validateContact() throws(ValidationError) {
        guard let contact = self.pushContact else { return }
        guard ["mailto:", "https:"].contains(where: { contact.hasPrefix($0) }), contact.utf8.count <= 256,
            contact.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw ValidationError("--push-contact must be a mailto: or https: URL") }
    }

    var settings: PushSettings {
        var settings = PushSettings()
        settings.isOn = self.push == .on
        settings.content = self.pushContent
        if let contact = self.pushContact { settings.contact = contact }
        settings.fcm = (try? self.fcm()) ?? nil
        settings.apns = self.apns.settings
        return settings
    }
}

enum PushSwitch: String, CaseIterable { case on, off }

extension PushSwitch: ExpressibleByArgument {
    init?(argument: String) { self.init(rawValue: argument) }
    static var valueName: String? { "on|off" }
    static var expectation: String { "on or off" }
    var argumentDescription: String { self.rawValue }
}

extension FCMSettings.Style: ExpressibleByArgument {
    package init?(argument: String) { self.init(rawValue: argument) }
    package static var valueName: String? { "data|notification" }
    package static var expectation: String { "data or notification" }
    package var argumentDescription: String { self.rawValue }
}

extension PushSettings.Content: ExpressibleByArgument {
    package init?(argument: String) { self.init(rawValue: argument) }
    package static var valueName: String? { "full|sender|none" }
    package static var expectation: String { "full, sender or none" }
    package var argumentDescription: String { self.rawValue }
}
