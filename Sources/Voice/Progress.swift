/// How far one job has come.
package struct Progress: Hashable, Sendable {
    /// Bytes of the input that have been read since the last report.
    package var bytes: Int
    /// Seconds of sound that went through since the last report.
    package var seconds: Double
}

/// Hears how a job comes along, a few times for every second of work.
package typealias ProgressListener = (Progress) -> Void
