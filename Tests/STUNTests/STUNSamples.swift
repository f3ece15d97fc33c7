import Bytes
import STUN

/// The messages that the standards print.
enum STUNSamples {
    static let transaction = TransactionID(high: 0xB7E7_A701, low: 0xBC34_D686_FA87_DFAE)
    static let password = "VOkJxbRl1RmTxUk/WvJxBt"
    /// It lost its soft hyphen and its ligatures on the way into the one spelling (RFC 8265).
    static let longTermPassword = "TheMatrIX"
    static let longTermUser = "\u{30DE}\u{30C8}\u{30EA}\u{30C3}\u{30AF}\u{30B9}"

    /// RFC 5769 §2.1.
    static let request = hex(
        "00010058 2112a442 b7e7a701bc34d686fa87dfae", "80220010 5354554e207465737420636c69656e74",
        "00240004 6e0001ff", "80290008 932ff9b151263b36", "00060009 6576746a3a68367659202020",
        "00080014 9aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2", "80280004 e57a3bcf")

    /// RFC 5769 §2.2.
    static let ipv4Response = hex(
        "0101003c 2112a442 b7e7a701bc34d686fa87dfae", "8022000b 7465737420766563746f7220",
        "00200008 0001a147e112a643", "00080014 2b91f599fd9e90c38c7489f92af9ba53f06be7d7", "80280004 c07d4c96")

    /// RFC 5769 §2.3.
    static let ipv6Response = hex(
        "01010048 2112a442 b7e7a701bc34d686fa87dfae", "8022000b 7465737420766563746f7220",
        "00200014 0002a1470113a9faa5d3f179bc25f4b5bed2b9d9",
        "00080014 a382954e4be67bf11784c97c8292c275bfe3ed41", "80280004 c8fb0b4c")

    /// RFC 5769 §2.4.
    static let longTerm = hex(
        "00010060 2112a442 78ad3433c6ad72c029da412e", "00060012 e3839ee38388e383aae38383e382afe382b90000",
        "0015001c 662f2f3439396b39353464364f4c33346f4c39465354767936347341",
        "0014000b 6578616d706c652e6f726700", "00080014 f67024656dd64a3e02b8e0712e85c9a28ca89666")

    /// RFC 8489 B.1, as its erratum 6268 puts it right.
    static let longTermSHA256 = hex(
        "00010090 2112a442 78ad3433c6ad72c029da412e",
        "001e0020 4a3cf38fef6992bda952c6780417da0f24819415569e60b205c46e41407f1704",
        "00150029 6f624d61744a6f733241414143662f2f3439396b39353464364f4c33346f4c39465354767936347341000000",
        "0014000b 6578616d706c652e6f726700", "001d0004 00020000",
        "001c0020 b5c7bf005b6c52a21c51c5e892f81924136296cb927c43149309278cc6518e65")

    static let all = [request, ipv4Response, ipv6Response, longTerm, longTermSHA256]

    private static func hex(_ parts: String...) -> [UInt8] {
        let digits = parts.joined().filter { $0 != " " }
        guard let bytes = try? Hex.decode(digits) else { preconditionFailure("a sample is not hexadecimal") }
        return bytes
    }
}
