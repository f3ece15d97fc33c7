package import Vocabulary

/// What programs on other servers find one device by.
package struct PushBinding: Hashable, Sendable {
    package let device: PushDevice
    package let tags: [PushLabel]
}

package struct ViewPushBinding: StoreRequest {
    package let registration: RegistrationID

    package static let access = StoreAccess.reads

    package init(_ registration: RegistrationID) { self.registration = registration }

    package func perform(on tables: some Tables) throws(StoreError) -> PushBinding? {
        guard let device = try tables.pushDevice(self.registration) else { return nil }
        return PushBinding(device: device, tags: try tables.pushTags(of: self.registration))
    }
}

/// Other words for a device to be found by.
package struct ChangePushBinding: StoreRequest {
    package enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
        case keep
        case set(Value?)
    }

    package enum Refusal: Error, Hashable, Sendable {
        case unknown
        case tooManyTags
        /// All together, in bytes of UTF-8.
        case tagsTooLong
        /// As many devices have the alias as may.
        case aliasFull
    }

    package let registration: RegistrationID
    package var alias = Change<PushLabel>.keep
    package var mobile = Change<String>.keep
    package var clearsTags = false
    package var added: [PushLabel] = []
    package var removed: [PushLabel] = []
    package static let maximumTags = 1000
    package static let maximumTagBytes = 5000
    package static let maximumDevicesOfAlias = 10
    package static let access = StoreAccess.writes

    package init(of registration: RegistrationID) { self.registration = registration }

    package func perform(on tables: some Tables) throws(StoreError) -> Result<PushBinding, Refusal> {
        guard var device = try tables.pushDevice(self.registration) else { return .failure(.unknown) }
        let old = try tables.pushTags(of: self.registration)
        let new = self.tags(from: old)
        if let refusal = try self.refusal(of: device, new, isMore: !self.added.isEmpty, tables) {
            return .failure(refusal)
        }
        for tag in old where !new.contains(tag) { try tables.removePushTag(tag, of: self.registration) }
        for tag in new.sorted(by: { $0.text < $1.text }) where !old.contains(tag) {
            try tables.insertPushTag(tag, of: self.registration)
        }
        if case .set(let alias) = self.alias { device.alias = alias }
        if case .set(let mobile) = self.mobile { device.mobile = mobile }
        try tables.put(device)
        return .success(PushBinding(device: device, tags: try tables.pushTags(of: self.registration)))
    }

    private func tags(from old: [PushLabel]) -> Set<PushLabel> {
        Set(self.clearsTags ? [] : old).subtracting(self.removed).union(self.added)
    }

    private func refusal(
        of device: PushDevice, _ tags: Set<PushLabel>, isMore: Bool, _ tables: some Tables
    ) throws(StoreError) -> Refusal? {
        if isMore, tags.count > Self.maximumTags { return .tooManyTags }
        if isMore, tags.reduce(0, { $0 + $1.text.utf8.count }) > Self.maximumTagBytes { return .tagsTooLong }
        guard case .set(.some(let alias)) = self.alias, device.alias != alias else { return nil }
        return try tables.pushDevices(named: alias).count < Self.maximumDevicesOfAlias ? nil : .aliasFull
    }
}

/// The same for a device of one's own.
package struct ChangeOwnPushBinding: StoreRequest {
    package let device: DeviceID
    package let user: UserID
    package var alias = ChangePushBinding.Change<PushLabel>.keep
    package var clearsTags = false
    package var added: [PushLabel] = []
    package var removed: [PushLabel] = []

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(of device: DeviceID, _ user: UserID) {
        self.device = device
        self.user = user
    }

    package var saysAnything: Bool {
        self.alias != .keep || self.clearsTags || !self.added.isEmpty || !self.removed.isEmpty
    }

    package func perform(
        on tables: some Tables
    ) throws(StoreError) -> Result<PushBinding, ChangePushBinding.Refusal> {
        guard let device = try tables.pushDevices(of: self.user).first(where: { $0.device == self.device }) else {
            return .failure(.unknown)
        }
        var change = ChangePushBinding(of: device.registration)
        change.alias = self.alias
        (change.clearsTags, change.added, change.removed) = (self.clearsTags, self.added, self.removed)
        return try change.perform(on: tables)
    }
}

/// The devices that have an alias, in the order of their registrations.
package struct ListPushDevicesByAlias: StoreRequest {
    package let alias: PushLabel

    package static let access = StoreAccess.reads

    package init(_ alias: PushLabel) { self.alias = alias }

    package func perform(on tables: some Tables) throws(StoreError) -> [PushDevice] {
        try tables.pushDevices(named: self.alias)
    }
}

/// All devices lose an alias, or those of a list.
package struct RemovePushAlias: StoreRequest {
    package let alias: PushLabel
    package let registrations: Set<RegistrationID>?

    package static let access = StoreAccess.writes

    package init(_ alias: PushLabel, of registrations: Set<RegistrationID>? = nil) {
        self.alias = alias
        self.registrations = registrations
    }

    package func perform(on tables: some Tables) throws(StoreError) {
        for var device in try tables.pushDevices(named: self.alias)
        where self.registrations?.contains(device.registration) ?? true {
            device.alias = nil
            try tables.put(device)
        }
    }
}

/// Devices get a tag, and others lose it. Those that nobody knows are named, and then nothing is changed.
package struct ChangePushTag: StoreRequest {
    package let tag: PushLabel
    package let added: [RegistrationID]
    package let removed: [RegistrationID]

    package static let access = StoreAccess.writes

    package init(_ tag: PushLabel, adding added: [RegistrationID], removing removed: [RegistrationID]) {
        self.tag = tag
        self.added = added
        self.removed = removed
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [RegistrationID] {
        var unknown: [RegistrationID] = []
        for registration in self.added + self.removed where try tables.pushDevice(registration) == nil {
            unknown.append(registration)
        }
        guard unknown.isEmpty else { return unknown }
        for registration in self.added { try tables.insertPushTag(self.tag, of: registration) }
        for registration in self.removed { try tables.removePushTag(self.tag, of: registration) }
        return []
    }
}

/// The tags that devices have, in the order of their letters.
package struct ListPushTags: StoreRequest {
    package let limit: Int

    package static let access = StoreAccess.reads

    package init(limit: Int) { self.limit = limit }

    package func perform(on tables: some Tables) throws(StoreError) -> [PushLabel] {
        try tables.pushTags(limit: self.limit)
    }
}

/// No device has the tag any more.
package struct RemovePushTag: StoreRequest {
    package let tag: PushLabel

    package static let access = StoreAccess.writes

    package init(_ tag: PushLabel) { self.tag = tag }

    package func perform(on tables: some Tables) throws(StoreError) { try tables.removePushTag(self.tag) }
}
