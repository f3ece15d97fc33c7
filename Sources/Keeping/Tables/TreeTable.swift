package import RealtimeTree

/// The values of the tree under their paths, and what sessions left to be written when they end.
package protocol TreeTable: AnyObject {
    func treeOwner() throws(StoreError) -> String?
    func setTreeOwner(_ owner: String) throws(StoreError)
    /// In the order of their paths.
    func treeRows(after path: String?, limit: Int) throws(StoreError) -> [TreeRow]
    /// In the place of the one with its path.
    func put(_ row: TreeRow) throws(StoreError)
    func removeTreeRow(_ path: String) throws(StoreError)
    /// The one at the path and all below; all there are where it is empty.
    func removeTreeRows(under path: String) throws(StoreError)

    /// In the order of their numbers.
    func leftWrites() throws(StoreError) -> [LeftWrite]
    /// In the place of the one of the same session for the same path.
    func put(_ write: LeftWrite) throws(StoreError)
    /// The one at the path and all below; all of the session where it is empty.
    func removeLeftWrites(of session: String, under path: String) throws(StoreError)
}
