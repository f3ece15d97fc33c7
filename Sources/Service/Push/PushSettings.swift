/// How devices that sleep are woken.
package struct PushSettings: Hashable, Sendable {
    /// How much a push says of a message.
    package enum Content: String, Hashable, Sendable, CaseIterable {
        /// Who wrote, and the first words.
        case full
        /// Who wrote.
        case sender
        /// That there is something: the device asks what.
        case none
    }

    package var isOn = true
    package var content = Content.full
    /// How push services reach the people behind this server: `mailto:` or `https:`.
    package var contact = "mailto:postmaster@localhost"

    /// Nil where no device is woken by Google's service.
    package var fcm: FCMSettings?
    /// Nil where no device is woken by Apple's service.
    package var apns: APNsSettings?

    /// How long somebody who is online has to say that a message came.
    static let acknowledgementTime = Duration.seconds(10)
    /// As long as a push is worth being delivered.
    static let life = Duration.seconds(86_400)

    /// How long it is kept what became of pushes.
    static let traceHistory = Duration.seconds(7 * 86_400)

    /// How long announcements are kept, and what became of them: a month after the longest of them has ended.
    static let announcementHistory = Duration.seconds(41 * 86_400)

    package init() {}
}
