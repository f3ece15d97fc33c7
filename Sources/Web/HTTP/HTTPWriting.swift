extension Array<UInt8> {
    mutating func append(line text: String) {
        self.append(contentsOf: text.utf8)
        self.appendLineEnd()
    }

    mutating func appendLineEnd() {
        self.append(ASCII.carriageReturn)
        self.append(ASCII.lineFeed)
    }

    mutating func append(_ name: HTTPFieldName, _ value: some StringProtocol) {
        self.append(contentsOf: name.text.utf8)
        self.append(ASCII.colon)
        self.append(ASCII.space)
        self.append(contentsOf: value.utf8)
        self.appendLineEnd()
    }

    /// A number without a `String` in between.
    mutating func append(number: Int, radix: Int = 10) {
        precondition(number >= 0, "only lengths are written")
        var divisor = 1
        while number / divisor >= radix { divisor *= radix }
        while divisor > 0 {
            let digit = UInt8(truncatingIfNeeded: number / divisor % radix)
            self.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            divisor /= radix
        }
    }
}
