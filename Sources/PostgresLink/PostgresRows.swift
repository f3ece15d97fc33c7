internal import CPostgres

/// What a statement brought: rows, or how many it changed. Valid for as long as it is held.
@safe package final class PostgresRows {
    private let libpq: Libpq
    private let result: OpaquePointer

    /// Takes over `result`.
    init(_ result: OpaquePointer, of libpq: Libpq) {
        self.libpq = libpq
        unsafe self.result = result
    }

    private var functions: parley_libpq { self.libpq.functions }

    deinit { unsafe self.functions.clear(self.result) }

    package var count: Int { Int(unsafe self.functions.ntuples(self.result)) }
    package var columnCount: Int { Int(unsafe self.functions.nfields(self.result)) }
    /// How many rows an INSERT, UPDATE, DELETE or SELECT was about.
    package var changed: Int { Int(unsafe Self.text(self.functions.cmdTuples(self.result))) ?? 0 }
    /// What was carried out, as in `INSERT 0 1`. A COMMIT of a transaction that had failed says `ROLLBACK`.
    package var command: String { unsafe Self.text(self.functions.cmdStatus(self.result)) }

    package func isNull(_ row: Int, _ column: Int) -> Bool {
        unsafe self.functions.getisnull(self.result, Int32(row), Int32(column)) == 1
    }

    /// Of `bigint`, `integer`, `smallint` or `boolean`; nil for NULL and for what is none of them.
    package func integer(_ row: Int, _ column: Int) -> Int64? {
        self.withBytes(row, column) { bytes in
            switch bytes.count {
            case 8: Int64(truncatingIfNeeded: Self.number(bytes))
            case 4: Int64(Int32(truncatingIfNeeded: Self.number(bytes)))
            case 2: Int64(Int16(truncatingIfNeeded: Self.number(bytes)))
            case 1: Int64(bytes[0])
            default: nil
            }
        }
    }

    /// Nil for NULL.
    package func text(_ row: Int, _ column: Int) -> String? {
        self.withBytes(row, column) { unsafe $0.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } }
    }

    /// Nil for NULL.
    package func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
        self.withBytes(row, column) { unsafe $0.withUnsafeBufferPointer { unsafe Array($0) } }
    }

    /// Lends the bytes of a field as they came; nil for NULL.
    package func withBytes<Value>(_ row: Int, _ column: Int, _ body: (Span<UInt8>) -> Value?) -> Value? {
        precondition(
            row >= 0 && row < self.count && column >= 0 && column < self.columnCount,
            "row \(row), column \(column) of \(self.count) rows and \(self.columnCount) columns")
        guard !self.isNull(row, column) else { return nil }
        let length = Int(unsafe self.functions.getlength(self.result, Int32(row), Int32(column)))
        guard let start = unsafe self.functions.getvalue(self.result, Int32(row), Int32(column)) else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length).assumingMemoryBound(to: UInt8.self)
        return unsafe body(Span(_unsafeElements: bytes))
    }

    private static func text(_ words: UnsafeMutablePointer<CChar>?) -> String {
        unsafe words.map { unsafe String(cString: $0) } ?? ""
    }

    private static func number(_ bytes: Span<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        for index in bytes.indices { number = number << 8 | UInt64(bytes[index]) }
        return number
    }
}
