internal import Journal

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// How many descriptors the process may have open. Shells give few, for programs that still use `select`.
enum DescriptorLimit {
    /// Asks for as many as the system allows, and says how many that are.
    static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(self.resource, &limit) == 0 else { return 0 }
        var wanted = limit
        wanted.rlim_cur = self.most(limit.rlim_max)
        if wanted.rlim_cur > limit.rlim_cur, unsafe setrlimit(self.resource, &wanted) == 0 { limit = wanted }
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
    private static let resource = Int32(RLIMIT_NOFILE.rawValue)
    private static func most(_ hard: rlim_t) -> rlim_t { hard }
    #else
    private static let resource = RLIMIT_NOFILE
    /// The hard limit there reads "infinite" and is not meant.
    private static func most(_ hard: rlim_t) -> rlim_t { min(hard, rlim_t(OPEN_MAX)) }
    #endif
}

extension LogName {
    static let descriptorLimit = LogName("serve.descriptor_limit")
}
