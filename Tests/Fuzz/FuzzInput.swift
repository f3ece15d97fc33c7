#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Bytes from the fuzzer: what to read, and one last byte that says how. So a sample in the corpus is
/// simply what would come over the wire.
struct FuzzInput {
    let bytes: [UInt8]
    let control: UInt8

    init(_ input: [UInt8]) {
        self.bytes = input.dropLast()
        self.control = input.last ?? 0
    }

    /// The bytes in pieces of one size; all in one for zero.
    func pieces(of size: Int) -> [[UInt8]] {
        guard size > 0 else { return [self.bytes] }
        return stride(from: 0, to: self.bytes.count, by: size).map {
            Array(self.bytes[$0..<min($0 + size, self.bytes.count)])
        }
    }
}

/// Numbers that come again the same for the same input.
struct Dice: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return self.state ^ self.state >> 29
    }
}

/// Crashes with a message, which `precondition` keeps to itself in an optimised build.
func demand(_ condition: Bool, _ message: @autoclosure () -> String, line: UInt = #line, file: String = #fileID) {
    guard !condition else { return }
    print("\(file):\(line): \(message())")
    fflush(nil)
    abort()
}
