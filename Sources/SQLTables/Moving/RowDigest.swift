/// What rows have in them, put together in any order. Good for as long as the program runs.
struct RowDigest: Hashable {
    private var sum: UInt = 0
    private var rows = 0
    private let leftOut: Int?

    /// - Parameter leftOut: a column that does not count.
    init(leavingOut leftOut: Int? = nil) { self.leftOut = leftOut }

    mutating func add(_ row: [SQLValue]) {
        var hasher = Hasher()
        for (place, value) in row.enumerated() where place != self.leftOut { hasher.combine(value) }
        self.sum &+= UInt(bitPattern: hasher.finalize())
        self.rows += 1
    }
}
