package import Vocabulary

/// Writes an announcement down and gives it its number. The same name again, within a day, is the same announcement.
package struct MakeAnnouncement: StoreRequest {
    package let push: RandomToken
    package let source: String
    package let content: [UInt8]
    package let life: Duration
    package let now: WallTime
    package var name: String?
    /// One of its own where nothing is said.
    package var topic: String?
    /// The number of an earlier one, whose place it takes.
    package var overrides: Int64?
    package var schedule: String?

    package enum Made: Hashable, Sendable {
        case new(Announcement)
        case repeated(Announcement)
        /// There is none that it could take the place of.
        case nothingToOverride
    }

    /// How long a name is remembered, and how long another may take the place of one.
    package static let memory = Duration.seconds(86_400)
    package static let access = StoreAccess.writes

    package init(
        _ content: [UInt8], from source: String, push: RandomToken, life: Duration, at now: WallTime
    ) {
        self.content = content
        self.source = source
        self.push = push
        self.life = life
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Made {
        if let name = self.name,
            let old = try FindNamedAnnouncement(name, from: self.source, at: self.now).perform(on: tables)
        {
            return .repeated(old)
        }
        var overridden: Announcement?
        if let number = self.overrides {
            overridden = try self.overridden(number, tables)
            guard overridden != nil else { return .nothingToOverride }
        }
        // As good as the time, so that a number is not used again when all that was before is forgotten.
        let number = max(self.now.milliseconds << 8, try tables.latestAnnouncementNumber() ?? 0) + 1
        let made = Announcement(
            number, push: self.push, from: self.source, name: self.name,
            topic: overridden?.topic ?? self.topic ?? "\(number)", self.content, created: self.now,
            expiry: self.now + self.life, schedule: self.schedule, next: "")
        if var old = overridden {
            old.next = nil
            try tables.put(old)
        }
        try tables.put(made)
        return .new(made)
    }

    private func overridden(_ number: Int64, _ tables: some Tables) throws(StoreError) -> Announcement? {
        guard let old = try tables.announcement(number), old.source == self.source,
            self.now < old.created + Self.memory
        else { return nil }
        return old
    }
}

package struct FindAnnouncement: StoreRequest {
    package let number: Int64

    package static let access = StoreAccess.reads

    package init(_ number: Int64) { self.number = number }

    package func perform(on tables: some Tables) throws(StoreError) -> Announcement? {
        try tables.announcement(self.number)
    }
}

/// What a program said under a name within the last day.
package struct FindNamedAnnouncement: StoreRequest {
    package let name: String
    package let source: String
    package let now: WallTime

    package static let access = StoreAccess.reads

    package init(_ name: String, from source: String, at now: WallTime) {
        self.name = name
        self.source = source
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Announcement? {
        guard let found = try tables.announcement(named: self.name, from: self.source),
            self.now < found.created + MakeAnnouncement.memory
        else { return nil }
        return found
    }
}

/// Those of which not all devices were told yet, in the order of their numbers.
package struct ListAnnouncementsUnderWay: StoreRequest {
    package let number: Int64
    package let limit: Int

    package static let access = StoreAccess.reads

    package init(after number: Int64, limit: Int) {
        self.number = number
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [Announcement] {
        try tables.announcementsUnderWay(after: self.number, limit: self.limit)
    }
}

/// These devices are told next: all up to another registration have a receipt then, or are not concerned. False where no
/// more devices are to be told.
package struct AdvanceAnnouncement: StoreRequest {
    package let number: Int64
    package let receipts: [AnnouncementReceipt]
    /// Nil when there are no more devices.
    package let next: String?

    package static let access = StoreAccess.writes

    package init(_ number: Int64, telling receipts: [AnnouncementReceipt], next: String?) {
        self.number = number
        self.receipts = receipts
        self.next = next
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        guard var announcement = try tables.announcement(self.number), announcement.next != nil else { return false }
        announcement.next = self.next
        try tables.put(announcement)
        for receipt in self.receipts { try tables.put(receipt, of: self.number) }
        return true
    }
}

/// Devices that were to be told when the server ended, in the order of the announcements.
package struct ListOpenReceipts: StoreRequest {
    package struct Place: Hashable, Sendable {
        package let number: Int64
        package let registration: String

        package init(_ number: Int64, _ registration: String) {
            self.number = number
            self.registration = registration
        }

        package static let start = Place(0, "")
    }

    /// A device that is to be told, of which announcement.
    package struct Item: Hashable, Sendable {
        package let number: Int64
        package let recipient: PushRecipient
    }

    package struct Page: Hashable, Sendable {
        package var items: [Item] = []
        /// Where to go on; nil at the end.
        package var next: Place?
    }

    package let start: Place
    package let limit: Int

    package static let access = StoreAccess.reads

    package init(after start: Place, limit: Int) {
        self.start = start
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Page {
        let open = try tables.openReceipts(after: self.start, limit: self.limit)
        var page = Page()
        if open.count == self.limit { page.next = open.last }
        for place in open {
            // One that is not registered any more is told nothing.
            guard let registration = RegistrationID(place.registration),
                let device = try tables.pushDevice(registration)
            else { continue }
            let recipient = PushRecipient(device: device, badge: try Unread.badge(of: device.user, tables))
            page.items.append(Item(number: place.number, recipient: recipient))
        }
        return page
    }
}

/// No more devices are told of it. Nil where its program said no such thing within the last day.
package struct WithdrawAnnouncement: StoreRequest {
    package let number: Int64
    package let source: String
    package let now: WallTime

    package static let access = StoreAccess.writes

    package init(_ number: Int64, from source: String, at now: WallTime) {
        self.number = number
        self.source = source
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Announcement? {
        guard var found = try tables.announcement(self.number), found.source == self.source,
            self.now < found.created + MakeAnnouncement.memory
        else { return nil }
        found.next = nil
        try tables.put(found)
        return found
    }
}

/// Devices that heard of an announcement, or may yet.
package struct ListTold: StoreRequest {
    package struct Page: Hashable, Sendable {
        package var devices: [PushDevice] = []
        /// Where to go on; nil at the end.
        package var next: String?
    }

    package let number: Int64
    /// From the one behind this registration.
    package let start: String
    package let limit: Int

    package static let access = StoreAccess.reads

    package init(of number: Int64, after start: String, limit: Int) {
        self.number = number
        self.start = start
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Page {
        let receipts = try tables.receipts(of: self.number, after: self.start, limit: self.limit)
        var page = Page()
        if receipts.count == self.limit { page.next = receipts.last?.registration.text }
        for receipt in receipts where receipt.isOpen || receipt.wasTaken {
            if let device = try tables.pushDevice(receipt.registration) { page.devices.append(device) }
        }
        return page
    }
}

/// What became of one on some devices: those that are registered have an answer, which is nil where they were not told.
package struct ViewReceipts: StoreRequest {
    package let number: Int64
    package let registrations: [RegistrationID]

    package static let access = StoreAccess.reads

    package init(of number: Int64, on registrations: [RegistrationID]) {
        self.number = number
        self.registrations = registrations
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [RegistrationID: AnnouncementReceipt?] {
        var found: [RegistrationID: AnnouncementReceipt?] = [:]
        for registration in self.registrations {
            if let receipt = try tables.receipt(of: self.number, registration) {
                found[registration] = .some(receipt)
            } else if try tables.pushDevice(registration) != nil {
                found[registration] = .some(nil)
            }
        }
        return found
    }
}

/// How many devices came how far with announcements of a program; those that it never said are not in the answer.
package struct CountReceipts: StoreRequest {
    package let numbers: [Int64]
    package let source: String

    package static let access = StoreAccess.reads

    package init(of numbers: [Int64], from source: String) {
        self.numbers = numbers
        self.source = source
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [Int64: [AnnouncementCount]] {
        var found: [Int64: [AnnouncementCount]] = [:]
        for number in self.numbers where try tables.announcement(number)?.source == self.source {
            found[number] = try tables.receiptCounts(of: number)
        }
        return found
    }
}

/// The devices with these registrations, as far as there are any.
package struct FindPushDevices: StoreRequest {
    package let registrations: [RegistrationID]

    package static let access = StoreAccess.reads

    package init(_ registrations: [RegistrationID]) { self.registrations = registrations }

    package func perform(on tables: some Tables) throws(StoreError) -> [PushDevice] {
        var found: [PushDevice] = []
        for registration in self.registrations {
            if let device = try tables.pushDevice(registration) { found.append(device) }
        }
        return found
    }
}

package struct ForgetAnnouncements: StoreRequest {
    package let time: WallTime

    package static let access = StoreAccess.writes

    package init(before time: WallTime) { self.time = time }

    package func perform(on tables: some Tables) throws(StoreError) {
        try tables.removeAnnouncements(before: self.time)
    }
}
