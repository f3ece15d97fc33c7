/// How one sample stands in bytes, and how whole buffers of them become sound and back.
///
/// Sound inside is `Float`, full scale from -1 to 1.
package enum SampleEncoding: Hashable, Sendable, CaseIterable {
    case unsigned8, signed16, signed24, signed32, float32, float64
    case signed16BigEndian, signed24BigEndian, signed32BigEndian

    package var size: Int {
        switch self {
        case .unsigned8: 1
        case .signed16, .signed16BigEndian: 2
        case .signed24, .signed24BigEndian: 3
        case .signed32, .signed32BigEndian, .float32: 4
        case .float64: 8
        }
    }

    /// Appends the samples in `bytes` to `samples`; bytes of a sample that is not whole are left out.
    package func decode(_ bytes: Span<UInt8>, to samples: inout [Float]) {
        unsafe bytes.withUnsafeBytes { raw in unsafe self.decode(raw, to: &samples) }
    }

    private func decode(_ raw: UnsafeRawBufferPointer, to samples: inout [Float]) {
        let count = raw.count / self.size
        let start = samples.count
        samples.append(contentsOf: repeatElement(0, count: count))
        unsafe samples.withUnsafeMutableBufferPointer { all in
            let output = unsafe UnsafeMutableBufferPointer(rebasing: all[start...])
            switch self {
            case .signed16: unsafe Self.fill(output) { unsafe Float(Self.int16(raw, $0)) * 0x1p-15 }
            case .unsigned8: unsafe Self.fill(output) { unsafe (Float(raw[$0]) - 128) * 0x1p-7 }
            case .signed24: unsafe Self.fill(output) { unsafe Float(Self.int24(raw, $0, 0, 2)) * 0x1p-31 }
            case .signed32: unsafe Self.fill(output) { unsafe Float(Self.int32(raw, $0)) * 0x1p-31 }
            case .float32: unsafe Self.fill(output) { unsafe Self.float(raw, $0) }
            case .float64: unsafe Self.fill(output) { unsafe Self.double(raw, $0) }
            case .signed16BigEndian:
                unsafe Self.fill(output) { unsafe Float(Self.int16(raw, $0).byteSwapped) * 0x1p-15 }
            case .signed24BigEndian: unsafe Self.fill(output) { unsafe Float(Self.int24(raw, $0, 2, 0)) * 0x1p-31 }
            case .signed32BigEndian:
                unsafe Self.fill(output) { unsafe Float(Self.int32(raw, $0).byteSwapped) * 0x1p-31 }
            }
        }
    }

    // Unchecked access, because this runs once for every sample ever read and the count is known to fit.

    @inline(__always)
    private static func fill(_ output: UnsafeMutableBufferPointer<Float>, _ sample: (Int) -> Float) {
        for index in 0..<output.count { unsafe output[index] = sample(index) }
    }

    @inline(__always)
    private static func int16(_ raw: UnsafeRawBufferPointer, _ index: Int) -> Int16 {
        unsafe Int16(littleEndian: raw.loadUnaligned(fromByteOffset: index * 2, as: Int16.self))
    }

    /// Three bytes in the upper part of 32 bits; `low` and `high` say at which end each stands.
    @inline(__always)
    private static func int24(_ raw: UnsafeRawBufferPointer, _ index: Int, _ low: Int, _ high: Int) -> Int32 {
        let bits = unsafe UInt32(raw[index * 3 + low]) << 8 | UInt32(raw[index * 3 + 1]) << 16
        return unsafe Int32(bitPattern: bits | UInt32(raw[index * 3 + high]) << 24)
    }

    @inline(__always)
    private static func int32(_ raw: UnsafeRawBufferPointer, _ index: Int) -> Int32 {
        unsafe Int32(littleEndian: raw.loadUnaligned(fromByteOffset: index * 4, as: Int32.self))
    }

    @inline(__always)
    private static func float(_ raw: UnsafeRawBufferPointer, _ index: Int) -> Float {
        let bits = unsafe raw.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        return Self.finite(Float(bitPattern: UInt32(littleEndian: bits)))
    }

    @inline(__always)
    private static func double(_ raw: UnsafeRawBufferPointer, _ index: Int) -> Float {
        let bits = unsafe raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        return Self.finite(Float(Double(bitPattern: UInt64(littleEndian: bits))))
    }

    /// A file may hold anything; a filter fed with a NaN never recovers.
    @inline(__always)
    private static func finite(_ sample: Float) -> Float {
        abs(sample) <= 0x1p10 ? sample : 0
    }

    /// Appends `samples` to `bytes`, rounded to nearest and clipped at full scale.
    package func encode(_ samples: Span<Float>, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: samples.count * self.size))
        unsafe bytes.withUnsafeMutableBytes { all in
            let output = unsafe UnsafeMutableRawBufferPointer(rebasing: all[start...])
            unsafe samples.withUnsafeBufferPointer { input in unsafe self.encode(input, to: output) }
        }
    }

    private func encode(_ input: UnsafeBufferPointer<Float>, to output: UnsafeMutableRawBufferPointer) {
        switch self {
        case .signed16: unsafe Self.store(input, to: output) { Self.int16($0).littleEndian }
        case .signed16BigEndian: unsafe Self.store(input, to: output) { Self.int16($0).bigEndian }
        case .unsigned8:
            unsafe Self.store(input, to: output) { UInt8(truncatingIfNeeded: Self.integer($0, bits: 8) + 128) }
        case .signed24: unsafe Self.storeThreeBytes(input, to: output, shifts: (0, 8, 16))
        case .signed24BigEndian: unsafe Self.storeThreeBytes(input, to: output, shifts: (16, 8, 0))
        case .signed32:
            unsafe Self.store(input, to: output) { Int32(truncatingIfNeeded: Self.integer($0, bits: 32)).littleEndian }
        case .signed32BigEndian:
            unsafe Self.store(input, to: output) { Int32(truncatingIfNeeded: Self.integer($0, bits: 32)).bigEndian }
        case .float32: unsafe Self.store(input, to: output) { $0.bitPattern.littleEndian }
        case .float64: unsafe Self.store(input, to: output) { Double($0).bitPattern.littleEndian }
        }
    }

    @inline(__always)
    private static func store<Value: BitwiseCopyable>(
        _ input: UnsafeBufferPointer<Float>, to output: UnsafeMutableRawBufferPointer, _ value: (Float) -> Value
    ) {
        let size = MemoryLayout<Value>.size
        for index in 0..<input.count {
            unsafe output.storeBytes(of: value(input[index]), toByteOffset: index * size, as: Value.self)
        }
    }

    private static func storeThreeBytes(
        _ input: UnsafeBufferPointer<Float>, to output: UnsafeMutableRawBufferPointer, shifts: (Int, Int, Int)
    ) {
        for index in 0..<input.count {
            let value = unsafe self.integer(input[index], bits: 24)
            unsafe output[index * 3] = UInt8(truncatingIfNeeded: value >> shifts.0)
            unsafe output[index * 3 + 1] = UInt8(truncatingIfNeeded: value >> shifts.1)
            unsafe output[index * 3 + 2] = UInt8(truncatingIfNeeded: value >> shifts.2)
        }
    }

    /// Rounds by adding a number so large that the fraction has no room: one addition, which the
    /// compiler can do for many samples at once.
    @inline(__always)
    private static func int16(_ sample: Float) -> Int16 {
        let clipped = max(-32768, min(32767, sample * 32768))
        return Int16(truncatingIfNeeded: Int32(bitPattern: (clipped + 0x1.8p23).bitPattern))
    }

    private static func integer(_ sample: Float, bits: Int) -> Int {
        let scale = Double(1 << (bits - 1))
        return Int(max(-scale, min(scale - 1, (Double(sample) * scale).rounded(.toNearestOrEven))))
    }
}
