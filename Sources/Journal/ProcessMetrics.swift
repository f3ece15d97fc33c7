#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the system knows about this process, under the names that dashboards expect.
package enum ProcessMetrics {
    package static func register(in registry: MetricsRegistry) {
        registry.counter("process_cpu_seconds_total", "Processor time used, in user and system mode.") {
            self.processorSeconds()
        }
        registry.gauge("process_resident_memory_bytes", "Memory that is in use and not swapped out.") {
            self.residentBytes()
        }
        registry.gauge("process_open_fds", "Open file descriptors.") { self.openDescriptors().map(Double.init) }
        registry.gauge("process_start_time_seconds", "When the process began, in seconds since 1970.") {
            self.startTime()
        }
    }

    static func processorSeconds() -> Double? {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

#if os(Linux)
extension ProcessMetrics {
    static func residentBytes() -> Double? {
        self.contents(of: "/proc/self/statm").flatMap { self.residentPages($0) }.map { $0 * Double(getpagesize()) }
    }

    static func startTime() -> Double? {
        guard let own = self.contents(of: "/proc/self/stat"), let system = self.contents(of: "/proc/stat") else {
            return nil
        }
        guard let ticks = self.startTicks(own), let boot = self.bootTime(system) else { return nil }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    static func openDescriptors() -> Int? {
        guard let directory = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(directory) }
        var count = 0
        while unsafe readdir(directory) != nil { count += 1 }
        // Not counted: the two entries for the folders, and the descriptor that reads them.
        return count - 3
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
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: buffer.prefix(count))
        }
    }
}
#else
extension ProcessMetrics {
    /// The most there ever was; what there is now needs more than a portable call.
    static func residentBytes() -> Double? {
        var usage = rusage()
        guard unsafe getrusage(RUSAGE_SELF, &usage) == 0 else { return nil }
        return Double(usage.ru_maxrss)
    }

    static func startTime() -> Double? { nil }

    static func openDescriptors() -> Int? {
        (0..<getdtablesize()).count { fcntl($0, F_GETFD) != -1 }
    }
}
#endif
