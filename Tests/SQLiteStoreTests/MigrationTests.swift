import Bytes
import Hashing
import Testing

import SQLTables
@testable import SQLiteStore

@Suite("The forms of the tables")
struct MigrationTests {
    /// One line for each, never to be changed: somebody's database has gone through it. What should be different is a new
    /// step, whose digest comes last.
    private static let published = [
        "3400969edf4af25d", "236c4713eaa9f00f", "cd2232455d9deb5d", "f54123befdd53395", "6449e863e0b894a6",
        "6946839a70f70d26", "29e471bcd9dad018", "d46bf7d29b14730c", "c438a749c2c363c1",
        "d2e5ed17f3fb5a38", "48392e8d01bded24", "81632f72bd5ccb79", "791e6813d334d891", "b9e297a4ab1943b3",
        "9c7b305211eb2887", "cd6e6a4a1760f36a", "a26d3ab5e60619d1", "4e57ab5aa9017fa9",
        "a7ea2f053120524b", "d9884d79750b5379", "4d3869dfa70269e9", "5479a61b50e2f3c3",
        "884aff48a186f408", "980a997d8323ce59", "eeebb698295ee699", "16d3627e80ad0eeb", "2d40c1673d9a789e",
        "9a109030df620d6e", "ae727973c9797f57", "c7e19ec480b409df",
    ]

    @Test("are only ever added to")
    func published() {
        let digests = Migration.all.map { String(Hex.encode(Digest.sha256.hash($0.script)).prefix(16)) }
        #expect(digests == Self.published)
    }
}
