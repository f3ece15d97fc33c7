internal import CPulse

/// The functions of libpulse, opened when they are first wanted. PipeWire answers them, too.
@safe final class PulseLibrary: @unchecked Sendable {
    // Unchecked because the compiler does not know that addresses of functions never change.
    let functions: parley_pulse

    /// Nil where it is not installed.
    static let shared = PulseLibrary()

    private init?() {
        var functions = unsafe parley_pulse()
        guard unsafe parley_pulse_open(&functions) == 1 else { return nil }
        unsafe self.functions = functions
    }
}
