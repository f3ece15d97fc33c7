package import Vocabulary

/// What doors keep for their programs.
package protocol DoorTable: AnyObject {
    func doorRecord(_ place: DoorRecord.Place) throws(StoreError) -> DoorRecord?
    /// In the order of their names.
    func doorRecords(in book: String, after name: String, limit: Int) throws(StoreError) -> [DoorRecord]
    func doorRecordCount(in book: String) throws(StoreError) -> Int
    /// In the place of the one that is there.
    func put(_ record: DoorRecord) throws(StoreError)
    func removeDoorRecord(_ place: DoorRecord.Place) throws(StoreError)
    func removeDoorRecords(of user: UserID) throws(StoreError)
}
