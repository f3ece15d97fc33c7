import System

/// What the system knows about this process, under the names that dashboards expect.
package enum ProcessMetrics {
    package static func register(in registry: MetricsRegistry) {
        registry.counter("process_cpu_seconds_total", "Processor time used, in user and system mode.") {
            Double(KernelClock.processorTime) * 1e-9
        }
        registry.gauge("process_resident_memory_bytes", "Memory that is in use and not swapped out.") {
            CurrentProcess.residentBytes()
        }
        registry.gauge("process_open_fds", "Open file descriptors.") {
            CurrentProcess.openDescriptors().map(Double.init)
        }
        registry.gauge("process_start_time_seconds", "When the process began, in seconds since 1970.") {
            CurrentProcess.startTime()
        }
    }
}
