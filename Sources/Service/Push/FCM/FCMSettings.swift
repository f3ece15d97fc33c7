/// How devices with Google's services are woken: by Firebase Cloud Messaging, HTTP v1.
package struct FCMSettings: Hashable, Sendable {
    /// Who shows what a push says.
    package enum Style: String, Hashable, Sendable, CaseIterable {
        /// The device's program, which is given the data.
        case data
        /// The device's system, in words of ours; the program is given the data as well.
        case notification
    }

    /// The JSON of a service account, which holds a private key.
    package let credentials: [UInt8]
    package var style = Style.data
    /// Where messages are sent to.
    package var service = Self.usualService

    package static let usualService = "https://fcm.googleapis.com"

    package init(credentials: [UInt8]) { self.credentials = credentials }
}
