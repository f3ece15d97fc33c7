internal import System

/// The file, and what it was when it was last looked at.
struct ICEServerFile {
    let path: String

    /// Changes whenever the file does; nil when there is none.
    var version: String? { FileStatus(of: self.path)?.version }

    func read() throws(ICEServerFileError) -> [UInt8] {
        do throws(SystemError) {
            return try FileHandle(self.path, for: .reading).contents(maximum: ICEServerList.maximumBytes + 1)
        } catch {
            throw ICEServerFileError(.unreadable("\(error.errno)"), at: "")
        }
    }
}
