#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The process this runs in, as the system sees it.
package enum CurrentProcess {
    package static func exit(_ code: Int32) -> Never { exitSystem(code) }

    /// Writes out what `print` still holds back.
    package static func flushOutput() { fflush(nil) }

    package static var number: Int32 { getpid() }

    /// The program that runs here, as another process can start it, although another file may lie in its place by now.
    package static var program: String { "/proc/\(getpid())/exe" }

    /// How many threads can compute at once.
    package static var processorCount: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

    /// Asks for as many open files as the system allows, and says how many that are. Shells give few, for programs that
    /// still use `select`.
    package static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(self.descriptors, &limit) == 0 else { return 0 }
        var wanted = limit
        wanted.rlim_cur = self.maximumDescriptors(limit.rlim_max)
        if wanted.rlim_cur > limit.rlim_cur, unsafe setrlimit(self.descriptors, &wanted) == 0 { limit = wanted }
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
    private static let descriptors = Int32(RLIMIT_NOFILE.rawValue)
    private static func maximumDescriptors(_ hard: rlim_t) -> rlim_t { hard }
    #else
    private static let descriptors = RLIMIT_NOFILE
    /// The hard limit there reads "infinite" and is not meant.
    private static func maximumDescriptors(_ hard: rlim_t) -> rlim_t { min(hard, rlim_t(OPEN_MAX)) }
    #endif
}

// The system's own, where the function of the same name hides it.
private func exitSystem(_ code: Int32) -> Never { exit(code) }

// MARK: - What it uses

#if os(Linux)
extension CurrentProcess {
    /// Memory that is in use and not swapped out.
    package static func residentBytes() -> Double? {
        self.contents(of: "/proc/self/statm").flatMap { self.residentPages($0) }.map { $0 * Double(getpagesize()) }
    }

    /// In seconds since 1970.
    package static func startTime() -> Double? {
        guard let own = self.contents(of: "/proc/self/stat"), let system = self.contents(of: "/proc/stat") else {
            return nil
        }
        guard let ticks = self.startTicks(own), let boot = self.bootTime(system) else { return nil }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    package static func openDescriptors() -> Int? {
        // Not counted: the two entries for the folders, and the descriptor that reads them.
        FileSystem.names(in: "/proc/self/fd").map { $0.count - 3 }
    }

    /// The second number of `statm`.
    static func residentPages(_ statm: String) -> Double? {
        let fields = statm.split(separator: " ")
        return fields.count > 1 ? Double(fields[1]) : nil
    }

    /// The twenty-second field of `stat`; the second one holds the program's name, in which anything may stand.
    static func startTicks(_ stat: String) -> Double? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[end...].dropFirst().split(separator: " ")
        return fields.count > 19 ? Double(fields[19]) : nil
    }

    static func bootTime(_ stat: String) -> Double? {
        let line = stat.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst(6)) }
    }

    private static func contents(of path: String) -> String? {
        FileSystem.front(of: path, maximum: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }
}
#else
extension CurrentProcess {
    /// The most there ever was; what there is now needs more than a portable call.
    package static func residentBytes() -> Double? {
        var usage = rusage()
        guard unsafe getrusage(RUSAGE_SELF, &usage) == 0 else { return nil }
        return Double(usage.ru_maxrss)
    }

    package static func startTime() -> Double? { nil }

    package static func openDescriptors() -> Int? {
        (0..<getdtablesize()).count { fcntl($0, F_GETFD) != -1 }
    }
}
#endif
