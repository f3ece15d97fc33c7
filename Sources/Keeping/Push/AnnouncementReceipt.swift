package import Vocabulary

/// What became of an announcement on one device. It is written before the device is told, so one that is open is told again
/// after a crash.
package struct AnnouncementReceipt: Hashable, Sendable {
    package let registration: RegistrationID
    package let user: UserID
    package let device: DeviceID
    /// A word of whoever announces, for a kind of devices.
    package let platform: String
    /// What happened last.
    package var event: PushEvent.Kind
    package var isClicked: Bool

    package init(
        _ registration: RegistrationID, _ user: UserID, _ device: DeviceID, platform: String,
        event: PushEvent.Kind = .queued, isClicked: Bool = false
    ) {
        self.registration = registration
        self.user = user
        self.device = device
        self.platform = platform
        self.event = event
        self.isClicked = isClicked
    }

    package init(_ device: PushDevice, platform: String) {
        self.init(device.registration, device.user, device.device, platform: platform)
    }

    /// Its push service has it, or the device itself.
    package var wasTaken: Bool { [.accepted, .received].contains(self.event) }

    /// Something may still become of it.
    package var isOpen: Bool { self.event.isStep }
}

/// How many devices of one platform an announcement came to the same end on.
package struct AnnouncementCount: Hashable, Sendable {
    package let platform: String
    package let event: PushEvent.Kind
    package let devices: Int
    package let clicked: Int

    package init(platform: String, event: PushEvent.Kind, devices: Int, clicked: Int) {
        self.platform = platform
        self.event = event
        self.devices = devices
        self.clicked = clicked
    }
}
