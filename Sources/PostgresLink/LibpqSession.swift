internal import COpenSSL
internal import CPostgres

/// One `PGconn`: every call of libpq that needs it, and nothing that waits. It closes itself when its owner lets go.
@safe final class LibpqSession {
    /// How a step of the connecting went.
    enum Progress: Hashable { case reading, writing, connected, failed }

    /// What comes back for what was sent, in its order.
    enum Answer {
        case rows(PostgresRows)
        case failed(PostgresError)
        /// The server has ended the session with these words.
        case ended(PostgresError)
        case aborted, synced
        /// Nothing more of the statement before.
        case done
    }

    private let libpq: Libpq
    private let handle: OpaquePointer
    /// What the server said last before it closed the connection.
    private(set) var lastWords: PostgresError?

    /// - Parameter parameters: of the connection, by libpq's names.
    init?(_ parameters: [(String, String)], by libpq: Libpq) {
        let handle = unsafe Self.withCStrings(parameters.map(\.0)) { keywords in
            unsafe Self.withCStrings(parameters.map(\.1)) { unsafe libpq.functions.connectStartParams(keywords, $0, 0) }
        }
        guard let handle = unsafe handle else { return nil }
        self.libpq = libpq
        unsafe self.handle = handle
        // With SQLSTATE in the text: there is no other way to it while connecting.
        unsafe _ = self.functions.setErrorVerbosity(handle, PQERRORS_VERBOSE)
        unsafe _ = self.functions.setNoticeReceiver(handle, Self.noticed, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { unsafe self.functions.finish(self.handle) }

    private var functions: parley_libpq { self.libpq.functions }

    private static func withCStrings<Value>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let bytes = texts.map { Array($0.utf8CString) }
        let starts = bytes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        return unsafe bytes.flatMap { $0 }.withUnsafeBufferPointer { all in
            let pointers = unsafe starts.dropLast().map { start -> UnsafePointer<CChar>? in
                unsafe all.baseAddress.map { unsafe $0 + start }
            }
            return unsafe (pointers + [nil]).withUnsafeBufferPointer {
                unsafe body($0.baseAddress.unsafelyUnwrapped)
            }
        }
    }

    /// Otherwise libpq writes notices to the standard error. Those that come before the end are worth keeping.
    private static let noticed: PQnoticeReceiver = { argument, result in
        guard let argument = unsafe argument, let result = unsafe result else { return }
        let session = unsafe Unmanaged<LibpqSession>.fromOpaque(argument).takeUnretainedValue()
        guard unsafe session.isFatal(result) else { return }
        unsafe session.lastWords = session.error(of: result)
    }
}

// MARK: - Connecting

extension LibpqSession {
    /// The socket of this moment; another one may take its place with each step of the connecting.
    var socket: Int32 { unsafe self.functions.socket(self.handle) }
    var isConnected: Bool { unsafe self.functions.status(self.handle) == CONNECTION_OK }
    /// The process at the other end, as it was told to us when we came.
    var serverProcess: Int32 { unsafe self.functions.backendPID(self.handle) }
    var serverVersion: Int { Int(unsafe self.functions.serverVersion(self.handle)) }
    var isEncrypted: Bool { unsafe self.functions.sslInUse(self.handle) == 1 }

    func step() -> Progress {
        switch unsafe self.functions.connectPoll(self.handle) {
        case PGRES_POLLING_OK: .connected
        case PGRES_POLLING_READING: .reading
        case PGRES_POLLING_WRITING: .writing
        default: .failed
        }
    }

    /// From here on nothing in libpq waits, and many statements may be on their way.
    func enterPipeline() -> Bool {
        unsafe self.functions.setnonblocking(self.handle, 1) == 0
            && self.functions.enterPipelineMode(self.handle) == 1
    }

    /// For statements in the simple protocol, while nothing is on its way.
    func exitPipeline() -> Bool { unsafe self.functions.exitPipelineMode(self.handle) == 1 }

    /// What libpq says of the last thing that failed.
    var failure: String { unsafe self.functions.errorMessage(self.handle).map { unsafe String(cString: $0) } ?? "" }
}

// MARK: - Sending and reading

extension LibpqSession {
    func prepare(_ name: String, _ text: String) -> Bool {
        unsafe self.functions.sendPrepare(self.handle, name, text, 0, nil) == 1
    }

    func execute(_ name: String, _ values: [PostgresValue]) -> Bool {
        let parameters = PostgresParameters(values)
        let formats = [Int32](repeating: 1, count: values.count)
        // A parameter without bytes needs a place all the same, or it would be NULL.
        let bytes = parameters.bytes + [0]
        return unsafe bytes.withUnsafeBytes { all in
            let start = unsafe all.assumingMemoryBound(to: CChar.self).baseAddress.unsafelyUnwrapped
            let pointers = unsafe parameters.starts.map { place -> UnsafePointer<CChar>? in
                unsafe place.map { unsafe start + $0 }
            }
            return unsafe self.functions.sendQueryPrepared(
                self.handle, name, Int32(values.count), pointers, parameters.lengths, formats, 1) == 1
        }
    }

    func run(_ script: PostgresScript) -> Bool { unsafe self.functions.sendQuery(self.handle, script.text) == 1 }

    func sync() -> Bool { unsafe self.functions.pipelineSync(self.handle) == 1 }

    /// Nil when the connection is broken, otherwise whether anything has to wait for the socket.
    func flush() -> Bool? {
        switch unsafe self.functions.flush(self.handle) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Takes what the socket has; false when the connection is broken. TLS may hold back what the socket has no more of.
    func read() -> Bool {
        repeat {
            guard unsafe self.functions.consumeInput(self.handle) == 1 else { return false }
        } while self.hasDecryptedBytes
        return true
    }

    private var hasDecryptedBytes: Bool {
        guard let tls = unsafe self.functions.sslStruct(self.handle, "OpenSSL") else { return false }
        return unsafe SSL_pending(OpaquePointer(tls)) > 0
    }

    /// Whether the next answer is whole, so that it can be had without waiting.
    var hasAnswer: Bool { unsafe self.functions.isBusy(self.handle) == 0 }

    func nextAnswer() -> Answer {
        guard let result = unsafe self.functions.getResult(self.handle) else { return .done }
        switch unsafe self.functions.resultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return unsafe .rows(PostgresRows(result, of: self.libpq))
        case PGRES_PIPELINE_SYNC:
            unsafe self.functions.clear(result)
            return .synced
        case PGRES_PIPELINE_ABORTED:
            unsafe self.functions.clear(result)
            return .aborted
        default:
            defer { unsafe self.functions.clear(result) }
            let error = unsafe self.error(of: result)
            return unsafe self.isFatal(result) ? .ended(error) : .failed(error)
        }
    }

    func nextNotification() -> PostgresNotification? {
        guard let notify = unsafe self.functions.notifies(self.handle) else { return nil }
        defer { unsafe self.functions.freemem(notify) }
        return unsafe PostgresNotification(
            channel: String(cString: notify.pointee.relname), payload: String(cString: notify.pointee.extra),
            sender: notify.pointee.be_pid)
    }

    var transaction: PostgresTransaction {
        switch unsafe self.functions.transactionStatus(self.handle) {
        case PQTRANS_IDLE: .none
        case PQTRANS_INTRANS, PQTRANS_ACTIVE: .open
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    private func isFatal(_ result: OpaquePointer) -> Bool {
        let severity = unsafe self.field(.severity, of: result)
        return severity == "FATAL" || severity == "PANIC"
    }

    private func error(of result: OpaquePointer) -> PostgresError {
        PostgresError(
            state: unsafe self.field(.state, of: result),
            constraint: unsafe self.field(.constraint, of: result),
            serverMessage: unsafe self.field(.message, of: result))
    }

    /// libpq's `PG_DIAG_…`, which are characters and so do not come through the door.
    private enum Field: UInt8 {
        /// Never translated.
        case severity = 0x56  // V
        case state = 0x43  // C
        case message = 0x4D  // M
        case constraint = 0x6E  // n
    }

    private func field(_ field: Field, of result: OpaquePointer) -> String {
        unsafe self.functions.resultErrorField(result, Int32(field.rawValue)).map { unsafe String(cString: $0) } ?? ""
    }
}
