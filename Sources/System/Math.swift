#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The functions of the C library's mathematics that the standard library lacks.
package enum Math {
    package static func sine(_ angle: Double) -> Double { sin(angle) }
    package static func cosine(_ angle: Double) -> Double { cos(angle) }
    package static func tangent(_ angle: Double) -> Double { tan(angle) }
    package static func log10(_ value: Double) -> Double { logarithm(value) }
    package static func log10(_ value: Float) -> Float { logarithm(value) }
    package static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}

// The library's own, where the function of the same name hides it.
private func logarithm(_ value: Double) -> Double { log10(value) }
private func logarithm(_ value: Float) -> Float { log10f(value) }
