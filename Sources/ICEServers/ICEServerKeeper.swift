package import Journal
package import Reactor

/// Keeps the list the one in the file: looks every few seconds and reads again what has changed.
///
/// A file with a mistake leaves the list as it was, and the journal says what and where. No file is no mistake: then
/// there are no servers but our own.
package final class ICEServerKeeper {
    package private(set) var list: ICEServerList
    private let file: ICEServerFile
    private let environment: [String: String]
    private let scheduler: any Scheduler
    private let journal: Journal
    private let onChange: (ICEServerList) -> Void
    private var version: String?
    private var timer: TimerToken?

    package static let lookEvery = Duration.seconds(5)

    /// The file as it was when it was first read, before there is a loop to keep it on.
    package struct Reading: Sendable {
        fileprivate let path: String
        fileprivate let environment: [String: String]
        fileprivate let version: String?
        package let list: ICEServerList

        /// - Parameter isRequired: the file was named explicitly, so it has to exist now.
        /// - Throws: what is wrong with the file; a mistake shows at the start, not later.
        package init(
            path: String, environment: [String: String], isRequired: Bool = false
        ) throws(ICEServerFileError) {
            let file = ICEServerFile(path: path)
            self.path = path
            self.environment = environment
            self.version = file.version
            self.list = try ICEServerKeeper.load(file, environment, exists: isRequired || self.version != nil)
        }
    }

    /// - Parameter onChange: called with every list that follows the first one.
    package init(
        _ reading: Reading, scheduler: any Scheduler, journal: Journal, onChange: @escaping (ICEServerList) -> Void
    ) {
        self.file = ICEServerFile(path: reading.path)
        self.environment = reading.environment
        self.scheduler = scheduler
        self.journal = journal
        self.onChange = onChange
        self.version = reading.version
        self.list = reading.list
        self.lookLater()
    }

    package func stop() {
        if let timer = self.timer { self.scheduler.cancel(timer) }
        self.timer = nil
    }

    private static func load(
        _ file: ICEServerFile, _ environment: [String: String], exists: Bool
    ) throws(ICEServerFileError) -> ICEServerList {
        guard exists else { return ICEServerList() }
        return try ICEServerList(parsing: try file.read(), environment: environment)
    }

    private func lookLater() {
        self.timer = self.scheduler.schedule(after: Self.lookEvery) { [weak self] in
            guard let self else { return }
            self.look()
            self.lookLater()
        }
    }

    private func look() {
        let version = self.file.version
        guard version != self.version else { return }
        // Taken before reading: what changes in between is read again next time.
        self.version = version
        do throws(ICEServerFileError) {
            let list = try Self.load(self.file, self.environment, exists: version != nil)
            guard list != self.list else { return }
            self.list = list
            self.journal.notice(
                .iceServersChanged, "clients hear of other servers",
                [.file: .plain(self.file.path), .count: .integer(list.servers.count)])
            self.onChange(list)
        } catch {
            self.journal.error(
                .iceServersRefused, "the servers known before stay",
                [.file: .plain(self.file.path), .error: .error(error)])
        }
    }
}

extension LogName {
    static let iceServersChanged = LogName("ice_servers.changed")
    static let iceServersRefused = LogName("ice_servers.refused")
}
