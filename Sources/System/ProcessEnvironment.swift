#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The variables that the system hands to the program.
package enum ProcessEnvironment {
    package static let variables: [String: String] = {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe entry += 1
        }
        return variables
    }()

    /// Where another program is, by its name; nil where it is not installed.
    package static func program(_ name: String) -> String? {
        let folders = (self.variables["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileSystem.allows(.executing, $0) }
    }
}
