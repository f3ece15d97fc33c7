/// Which devices something is for. Each kind that is said gives a set, and what is in all of these sets is chosen; where no
/// kind is said, all devices are.
package struct PushAudience: Hashable, Sendable {
    package var registrations: [RegistrationID] = []
    package var aliases: [PushLabel] = []
    /// Any of these.
    package var tags: [PushLabel] = []
    /// All of these.
    package var requiredTags: [PushLabel] = []
    /// None of these.
    package var excludedTags: [PushLabel] = []

    package init() {}

    /// Whether anything is said at all.
    package var isEverybody: Bool { self == PushAudience() }
}

/// A device of an audience, and what waits for its user.
package struct PushRecipient: Hashable, Sendable {
    package let device: PushDevice
    package let badge: UInt64
}

/// The devices of an audience, in the order of their registrations.
package struct FindPushAudience: StoreRequest {
    package let audience: PushAudience
    /// From the one behind this registration.
    package let start: String
    /// So many devices are looked at, at most.
    package let limit: Int

    package struct Page: Hashable, Sendable {
        package var recipients: [PushRecipient] = []
        /// Where to go on; nil at the end.
        package var next: String?
    }

    package static let access = StoreAccess.reads

    package init(_ audience: PushAudience, after start: String, limit: Int) {
        self.audience = audience
        self.start = start
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Page {
        let candidates = try self.candidates(tables)
        var page = Page()
        for device in candidates where try self.fits(device, tables) {
            page.recipients.append(
                PushRecipient(device: device, badge: try Unread.badge(of: device.user, tables)))
        }
        if candidates.count == self.limit { page.next = candidates.last?.registration.text }
        return page
    }

    /// By the kind that says most. All others are looked at one by one.
    private func candidates(_ tables: some Tables) throws(StoreError) -> [PushDevice] {
        if !self.audience.registrations.isEmpty {
            return try self.portion(self.audience.registrations) { registration throws(StoreError) in
                try tables.pushDevice(registration).map { [$0] } ?? []
            }
        }
        if !self.audience.aliases.isEmpty {
            return try self.portion(self.audience.aliases) { alias throws(StoreError) in
                try tables.pushDevices(named: alias)
            }
        }
        let tags = self.audience.requiredTags.isEmpty ? self.audience.tags : [self.audience.requiredTags[0]]
        guard !tags.isEmpty else {
            return try tables.pushDevices(tagged: nil, after: self.start, limit: self.limit)
        }
        return try self.portion(tags) { tag throws(StoreError) in
            try tables.pushDevices(tagged: tag, after: self.start, limit: self.limit)
        }
    }

    /// The first of what is found under any of the names.
    private func portion<Name>(
        _ names: [Name], _ find: (Name) throws(StoreError) -> [PushDevice]
    ) throws(StoreError) -> [PushDevice] {
        var found: [RegistrationID: PushDevice] = [:]
        for name in names {
            for device in try find(name) where device.registration.text > self.start {
                found[device.registration] = device
            }
        }
        return Array(found.values.sorted { $0.registration.text < $1.registration.text }.prefix(self.limit))
    }

    private func fits(_ device: PushDevice, _ tables: some Tables) throws(StoreError) -> Bool {
        let audience = self.audience
        guard audience.aliases.isEmpty || device.alias.map(audience.aliases.contains) ?? false else { return false }
        guard !(audience.tags.isEmpty && audience.requiredTags.isEmpty && audience.excludedTags.isEmpty) else {
            return true
        }
        let tags = Set(try tables.pushTags(of: device.registration))
        return (audience.tags.isEmpty || !tags.isDisjoint(with: audience.tags))
            && tags.isSuperset(of: audience.requiredTags) && tags.isDisjoint(with: audience.excludedTags)
    }
}
