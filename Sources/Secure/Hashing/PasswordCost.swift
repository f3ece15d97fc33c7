/// How dear one guess of a password is made: the three numbers of scrypt (RFC 7914).
package struct PasswordCost: Hashable, Sendable {
    /// The logarithm, to the base of 2, of how often memory is stirred. `N` in the RFC.
    package let logarithm: Int
    /// `r`: memory is `128 · r · 2^logarithm` bytes.
    package let blockSize: Int
    /// `p`: how often it is done.
    package let parallelism: Int

    /// More than this is asked of no machine, whatever the stored text says.
    package static let memoryLimit = 128 << 20

    /// 32 MiB and about a quarter of a second: what OWASP recommends where memory is shared with a service.
    package static let usual = PasswordCost(checkedLogarithm: 15, blockSize: 8, parallelism: 3)

    package init?(logarithm: Int, blockSize: Int, parallelism: Int) {
        guard (1...20).contains(logarithm), (1...32).contains(blockSize), (1...16).contains(parallelism) else {
            return nil
        }
        self.init(checkedLogarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
        guard self.memory <= Self.memoryLimit else { return nil }
    }

    private init(checkedLogarithm logarithm: Int, blockSize: Int, parallelism: Int) {
        self.logarithm = logarithm
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// What one computation needs, in bytes.
    package var memory: Int { 128 * self.blockSize << self.logarithm }
}
