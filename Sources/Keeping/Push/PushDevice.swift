package import Vocabulary

/// A device that wants to be woken when something comes for its user: where a push for it goes, and the keys that only it can
/// open the push with (RFC 8291).
package struct PushDevice: Hashable, Sendable {
    package let user: UserID
    package let device: DeviceID
    package let endpoint: String
    /// A point of P-256, uncompressed (`p256dh`).
    package let publicKey: [UInt8]
    /// What the device and we know and the push service does not (`auth`).
    package let secret: [UInt8]
    /// As the device's user reads it, as a BCP 47 tag.
    package var language: String?
    /// The sign-in that it ends with; nil where a user came by an application's token.
    package var family: RandomToken?
    package let since: WallTime
    package var outcome: Outcome?
    package var quiet: QuietHours?
    /// What programs on other servers know it by.
    package var registration: RegistrationID
    /// What they find it by, with others maybe.
    package var alias: PushLabel?
    /// What they noted as its telephone number.
    package var mobile: String?

    /// What became of the last push.
    package struct Outcome: Hashable, Sendable {
        package let time: WallTime
        /// Nil when the push service took it.
        package let trouble: String?

        package init(at time: WallTime, trouble: String?) {
            self.time = time
            self.trouble = trouble
        }
    }

    package init(
        _ user: UserID, _ device: DeviceID, endpoint: String, publicKey: [UInt8], secret: [UInt8], since: WallTime,
        registration: RegistrationID = .fresh()
    ) {
        self.user = user
        self.device = device
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.secret = secret
        self.since = since
        self.registration = registration
    }
}
