package import Vocabulary

/// A device is to be woken from now on. It takes its endpoint from whoever had it: a browser has one user at a time.
package struct RegisterPushDevice: StoreRequest {
    package let device: PushDevice

    /// More of one user take the place of the oldest.
    package static let maximumDevices = 32
    package static let access = StoreAccess.writes
    package var asker: UserID? { self.device.user }

    package init(_ device: PushDevice) { self.device = device }

    package func perform(on tables: some Tables) throws(StoreError) {
        if let family = self.device.family {
            // It may have ended while the request was on its way.
            guard try tables.refreshFamily(family) != nil else { return }
        }
        try self.takeEndpoint(tables)
        let devices = try tables.pushDevices(of: self.device.user)
        let others = devices.filter { $0.device != self.device.device }
        for old in others.sorted(by: { $0.since > $1.since }).dropFirst(Self.maximumDevices - 1) {
            try tables.removePushDevice(of: old.user, old.device)
        }
        try tables.put(self.device.known(as: devices.first { $0.device == self.device.device }))
    }

    private func takeEndpoint(_ tables: some Tables) throws(StoreError) {
        let owner = try tables.pushDevices(of: self.device.user).first { $0.endpoint == self.device.endpoint }
        guard owner?.device != self.device.device else { return }
        try tables.removePushDevice(endpoint: self.device.endpoint)
    }
}

extension PushDevice {
    /// A device that comes again is known by what it was known by.
    fileprivate func known(as old: PushDevice?) -> PushDevice {
        guard let old else { return self }
        var device = self
        device.registration = old.registration
        device.alias = old.alias
        device.mobile = old.mobile
        return device
    }
}

/// When all of a user's devices make no sound; nil takes that back.
package struct SetQuietHours: StoreRequest {
    package let quiet: QuietHours?
    package let user: UserID

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(_ quiet: QuietHours?, of user: UserID) {
        self.quiet = quiet
        self.user = user
    }

    package func perform(on tables: some Tables) throws(StoreError) {
        for var device in try tables.pushDevices(of: self.user) {
            device.quiet = self.quiet
            try tables.put(device)
        }
    }
}

package struct ListPushDevices: StoreRequest {
    package let user: UserID

    package static let access = StoreAccess.reads

    package init(of user: UserID) { self.user = user }

    package func perform(on tables: some Tables) throws(StoreError) -> [PushDevice] {
        try tables.pushDevices(of: self.user)
    }
}

package enum RemovePushDevice: StoreRequest {
    case own(DeviceID, of: UserID)
    /// The push service does not know it any more.
    case gone(endpoint: String)

    package static let access = StoreAccess.writes

    package func perform(on tables: some Tables) throws(StoreError) {
        switch self {
        case .own(let device, let user): try tables.removePushDevice(of: user, device)
        case .gone(let endpoint): try tables.removePushDevice(endpoint: endpoint)
        }
    }
}
