package import Vocabulary

/// What programs on other servers say to devices, what became of it on each of them, and what they want said later.
package protocol AnnouncementTable: AnyObject {
    func announcement(_ number: Int64) throws(StoreError) -> Announcement?
    /// The latest of a program with a name.
    func announcement(named name: String, from source: String) throws(StoreError) -> Announcement?
    func latestAnnouncementNumber() throws(StoreError) -> Int64?
    /// Of which not all devices were told, in the order of their numbers.
    func announcementsUnderWay(after number: Int64, limit: Int) throws(StoreError) -> [Announcement]
    /// The numbers of those that were made by an appointment, the latest first.
    func announcements(of schedule: String, limit: Int) throws(StoreError) -> [Int64]
    /// In the place of the one with its number.
    func put(_ announcement: Announcement) throws(StoreError)
    /// With their receipts.
    func removeAnnouncements(before time: WallTime) throws(StoreError)

    func receipt(of number: Int64, _ registration: RegistrationID) throws(StoreError) -> AnnouncementReceipt?
    func receipt(of number: Int64, on device: DeviceID, of user: UserID) throws(StoreError) -> AnnouncementReceipt?
    /// In the order of their registrations.
    func receipts(
        of number: Int64, after registration: String, limit: Int
    ) throws(StoreError) -> [AnnouncementReceipt]
    /// In their order.
    func openReceipts(after place: ListOpenReceipts.Place, limit: Int) throws(StoreError) -> [ListOpenReceipts.Place]
    /// In the order of platforms and events.
    func receiptCounts(of number: Int64) throws(StoreError) -> [AnnouncementCount]
    /// In the place of the one for the same device of the same user.
    func put(_ receipt: AnnouncementReceipt, of number: Int64) throws(StoreError)
    func removeReceipts(of user: UserID) throws(StoreError)

    func pushSchedule(_ id: String) throws(StoreError) -> PushSchedule?
    func pushSchedules(of source: String) throws(StoreError) -> [PushSchedule]
    /// The one whose time comes first.
    func nextPushSchedule() throws(StoreError) -> PushSchedule?
    func put(_ schedule: PushSchedule) throws(StoreError)
    func removePushSchedule(_ id: String) throws(StoreError)
}
