package import Conversing
package import Vocabulary

/// Devices that want to be woken, and the messages for which that is still to be done. A device goes with its sign-in.
package protocol PushTable: AnyObject {
    func pushDevices(of user: UserID) throws(StoreError) -> [PushDevice]
    /// In the place of the user's device of the same name.
    func put(_ device: PushDevice) throws(StoreError)
    /// Nothing where there is no such device.
    func note(_ outcome: PushDevice.Outcome, of user: UserID, _ device: DeviceID) throws(StoreError)
    func removePushDevice(of user: UserID, _ device: DeviceID) throws(StoreError)
    func removePushDevice(endpoint: String) throws(StoreError)
    func removePushDevices(of user: UserID) throws(StoreError)
    /// Members of a conversation that have one, in the order of their ids.
    func usersWithPushDevices(in key: ConversationKey, after user: String, limit: Int) throws(StoreError) -> [UserID]

    func pushDevice(_ registration: RegistrationID) throws(StoreError) -> PushDevice?
    /// In the order of their registrations.
    func pushDevices(named alias: PushLabel) throws(StoreError) -> [PushDevice]
    /// In the order of their registrations; nil stands for all devices.
    func pushDevices(tagged tag: PushLabel?, after registration: String, limit: Int) throws(StoreError) -> [PushDevice]
    /// Tags go with their device.
    func pushTags(of registration: RegistrationID) throws(StoreError) -> [PushLabel]
    func insertPushTag(_ tag: PushLabel, of registration: RegistrationID) throws(StoreError)
    func removePushTag(_ tag: PushLabel, of registration: RegistrationID) throws(StoreError)
    func removePushTag(_ tag: PushLabel) throws(StoreError)
    /// Those that devices have, in the order of their letters.
    func pushTags(limit: Int) throws(StoreError) -> [PushLabel]

    /// The engine numbers the rows in the order in which they are written.
    func insertPush(of entry: EntryKey) throws(StoreError)
    func pushes(after number: Int64, limit: Int) throws(StoreError) -> [PushRow]
    /// Those with numbers in one of these ranges, which ascend; `limit` of each at most.
    func pushes(numbered ranges: [ClosedRange<Int64>], limit: Int) throws(StoreError) -> [PushRow]
    func removePush(_ number: Int64) throws(StoreError)
    func removePushes(of key: ConversationKey, through entry: UInt64) throws(StoreError)

    /// What happened to pushes lately.
    func latestPushEventNumber() throws(StoreError) -> Int64?
    func insert(_ event: PushEvent, as number: Int64) throws(StoreError)
    /// The latest first; nil stands for all.
    func pushEvents(of user: UserID?, in place: String?, entry: UInt64?, limit: Int) throws(StoreError) -> [PushEvent]
    /// In the order in which they happened.
    func pushEvents(of push: RandomToken, for user: UserID) throws(StoreError) -> [PushEvent]
    func removePushEvents(through number: Int64) throws(StoreError)
    func removePushEvents(before time: WallTime) throws(StoreError)
    func removePushEvents(of user: UserID) throws(StoreError)
}

package struct PushRow: Hashable, Sendable {
    package let number: Int64
    package let entry: EntryKey

    package init(_ number: Int64, _ entry: EntryKey) {
        self.number = number
        self.entry = entry
    }
}
