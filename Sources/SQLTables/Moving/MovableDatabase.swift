package import Keeping

/// One end of a move: a database in the hands of one thread that may wait. What is asked of it is about one moment, and what is
/// written counts when it is finished.
package protocol MovableDatabase: AnyObject {
    var connection: any SQLConnection { get }
    /// Where its words go.
    var words: any SearchTable { get }
    /// The last number that the engine gave to a row of this table itself, whether that row is still there or not.
    func lastNumber(of table: SchemaTable) throws(StoreError) -> Int64?
    /// The next one is behind this.
    func setLastNumber(_ number: Int64, of table: SchemaTable) throws(StoreError)
    /// Called between portions of what is written.
    func portionEnded() throws(StoreError)
}
