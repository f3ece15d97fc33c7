#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How many seeds are tried: a few in every run, and very many with `PARLEY_LONG_TESTS=1`. `PARLEY_TEST_SEEDS` asks for
/// another number.
package enum LongTests {
    package static func seeds(_ usual: UInt64, long: UInt64) -> Range<UInt64> {
        if let text = getenv("PARLEY_TEST_SEEDS"), let count = UInt64(String(cString: text)) { return 0..<count }
        return 0..<(getenv("PARLEY_LONG_TESTS") == nil ? usual : long)
    }
}
