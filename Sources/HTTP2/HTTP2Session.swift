internal import CNGHTTP2
internal import Web

/// The client's side of one HTTP/2 connection (RFC 9113): bytes in and out, requests in, answers out.
///
/// libnghttp2 reads and writes the frames; it does no I/O, and neither does this. Whoever has the connection hands over what
/// came (`receive`), takes what is to be sent (`takeOutput`) after each call, and hangs up once nothing is wanted any more.
@safe package final class HTTP2Session {
    package struct Limits: Hashable, Sendable {
        /// Names and values of an answer's fields, and 32 for each (RFC 9113 §6.5.2).
        package var maximumFieldBytes = 16 << 10
        package var maximumBodyBytes = 64 << 10
        /// However many the server would take.
        package var maximumStreams = 100
        /// Frames between two calls of `restoreAllowance`.
        package var maximumFrames = 10_000
        /// In the same time, also of what nobody waits for or knows.
        package var maximumBytes = 16 << 20

        package init() {}
    }

    package struct Event: Equatable, Sendable {
        package let stream: Int32
        package let outcome: Result<HTTP2Answer, HTTP2Error>
    }

    private struct Stream {
        var body: [UInt8]
        var sent = 0
        var status: HTTPStatus?
        var fields = HTTPFields()
        var fieldBytes = 0
        var answer: [UInt8] = []
        var isTooLarge = false
    }

    /// Nil only while this is made.
    private var handle: OpaquePointer?
    private let limits: Limits
    private var streams: [Int32: Stream] = [:]
    private var events: [Event] = []
    private var frames = 0
    private var bytes = 0
    private var hasSettings = false
    /// The server takes no new requests on this connection.
    package private(set) var isGoingAway = false
    /// A ping was sent and not answered.
    package private(set) var isPinging = false

    package init(_ limits: Limits = Limits()) throws(HTTP2Error) {
        self.limits = limits
        var (callbacks, option): (OpaquePointer?, OpaquePointer?)
        defer {
            unsafe nghttp2_session_callbacks_del(callbacks)
            unsafe nghttp2_option_del(option)
        }
        guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, unsafe nghttp2_option_new(&option) == 0 else {
            throw .broken("no memory")
        }
        unsafe Self.setCallbacks(callbacks)
        unsafe nghttp2_option_set_max_outbound_ack(option, Self.maximumAcknowledgements)
        unsafe nghttp2_option_set_max_settings(option, Self.maximumSettings)
        let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
        var handle: OpaquePointer?
        guard unsafe nghttp2_session_client_new2(&handle, callbacks, owner, option) == 0 else {
            throw .broken("no memory")
        }
        unsafe self.handle = handle
        self.submitSettings()
    }

    deinit { unsafe nghttp2_session_del(self.handle) }

    private static let maximumAcknowledgements = 100
    private static let maximumSettings = 32

    private func submitSettings() {
        let settings = [
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
                value: UInt32(clamping: self.limits.maximumFieldBytes)),
        ]
        unsafe nghttp2_submit_settings(self.handle, Self.noFlags, settings, settings.count)
    }

    private static let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

    /// How many more requests the server takes now. Until it has said so, one.
    package var room: Int {
        guard !self.isGoingAway, unsafe nghttp2_session_check_request_allowed(self.handle) != 0 else { return 0 }
        let theirs = unsafe nghttp2_session_get_remote_settings(
            self.handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        let allowed = self.hasSettings ? min(Int(theirs), self.limits.maximumStreams) : 1
        return max(0, allowed - self.streams.count)
    }

    /// Whether anything can still come of this connection.
    package var isUsable: Bool { unsafe nghttp2_session_want_read(self.handle) != 0 }

    /// Answers the stream that its events will name.
    package func send(_ request: HTTP2Request) throws(HTTP2Error) -> Int32 {
        var head = HeaderBlock()
        head.append(":method", request.method.text)
        head.append(":scheme", request.scheme)
        head.append(":authority", request.authority)
        head.append(":path", request.path)
        for (name, value) in request.fields { head.append(name.lowercased(), value) }
        let hasBody = !request.body.isEmpty
        let stream = unsafe head.withEntries { entries in
            var provider = unsafe nghttp2_data_provider()
            unsafe provider.read_callback = { _, stream, target, count, flags, _, owner in
                guard let target = unsafe target, let flags = unsafe flags, let owner = unsafe owner else {
                    return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
                }
                let room = unsafe UnsafeMutableBufferPointer(start: target, count: count)
                let (copied, isLast) = unsafe HTTP2Session.of(owner).copyBody(of: stream, into: room)
                if isLast { unsafe flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
                return copied
            }
            return unsafe withUnsafePointer(to: &provider) { provider in
                unsafe nghttp2_submit_request(
                    self.handle, nil, entries.baseAddress, entries.count, hasBody ? provider : nil, nil)
            }
        }
        guard stream > 0 else { throw .broken(Self.words(of: stream)) }
        self.streams[stream] = Stream(body: request.body)
        return stream
    }

    /// Nobody waits for the answer any more.
    package func cancel(_ stream: Int32) {
        guard self.streams.removeValue(forKey: stream) != nil else { return }
        self.reset(stream)
    }

    /// Whether the server still answers will be seen by `isPinging`.
    package func ping() {
        guard !self.isPinging else { return }
        self.isPinging = unsafe nghttp2_submit_ping(self.handle, Self.noFlags, nil) == 0
    }

    /// To be called now and then: a server that sends more frames than are allowed until then wants something else.
    package func restoreAllowance() { (self.frames, self.bytes) = (0, 0) }

    /// Says goodbye.
    package func finish() { unsafe nghttp2_session_terminate_session(self.handle, NGHTTP2_NO_ERROR.rawValue) }

    /// Takes what came, and answers what it meant. After an error the connection is of no more use.
    package func receive(_ bytes: Span<UInt8>) throws(HTTP2Error) -> [Event] {
        // Frames of closed streams and of kinds that nobody knows are skipped without being told of.
        self.bytes += bytes.count
        guard self.bytes <= self.limits.maximumBytes else { throw .broken("it sends without end") }
        let count = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe nghttp2_session_mem_recv(self.handle, bytes.baseAddress, bytes.count)
        }
        guard count >= 0 else { throw .broken(Self.words(of: Int32(clamping: count))) }
        return self.takeEvents()
    }

    /// What is to be sent, piece by piece. What ended by that is answered as by `receive`.
    package func takeOutput(_ body: (Span<UInt8>) -> Void) throws(HTTP2Error) -> [Event] {
        while true {
            var start: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(self.handle, &start)
            guard count >= 0 else { throw .broken(Self.words(of: Int32(clamping: count))) }
            guard count > 0, let start = unsafe start else { return self.takeEvents() }
            body(unsafe Span(_unsafeStart: start, count: count))
        }
    }

    private func takeEvents() -> [Event] {
        defer { self.events = [] }
        return self.events
    }

    private func reset(_ stream: Int32) {
        unsafe nghttp2_submit_rst_stream(self.handle, Self.noFlags, stream, NGHTTP2_CANCEL.rawValue)
    }

    private static func words(of code: Int32) -> String { unsafe String(cString: nghttp2_strerror(code)) }
}

// MARK: - What libnghttp2 finds

extension HTTP2Session {
    private static func of(_ owner: UnsafeMutableRawPointer) -> HTTP2Session {
        unsafe Unmanaged<HTTP2Session>.fromOpaque(owner).takeUnretainedValue()
    }

    private static let success: Int32 = 0
    private static let failure = NGHTTP2_ERR_CALLBACK_FAILURE.rawValue

    private static func setCallbacks(_ callbacks: OpaquePointer?) {
        unsafe nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, head, owner in
            guard let owner = unsafe owner, let type = unsafe head?.pointee.type else { return HTTP2Session.failure }
            return unsafe HTTP2Session.of(owner).isWelcome(UInt32(type)) ? HTTP2Session.success : HTTP2Session.failure
        }
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
            guard let owner = unsafe owner, let head = unsafe frame?.pointee.hd else { return HTTP2Session.failure }
            unsafe HTTP2Session.of(owner).frameCame(head)
            return HTTP2Session.success
        }
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameCount, value, valueCount, _, owner in
            guard let owner = unsafe owner, let stream = unsafe frame?.pointee.hd.stream_id else {
                return HTTP2Session.failure
            }
            let name = unsafe String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self)
            let value = unsafe String(decoding: UnsafeBufferPointer(start: value, count: valueCount), as: UTF8.self)
            let isTaken = unsafe HTTP2Session.of(owner).field(name, value, of: stream)
            return isTaken ? HTTP2Session.success : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
        }
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, stream, bytes, count, owner in
            guard let owner = unsafe owner else { return HTTP2Session.failure }
            unsafe HTTP2Session.of(owner).body(UnsafeBufferPointer(start: bytes, count: count), of: stream)
            return HTTP2Session.success
        }
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, owner in
            guard let owner = unsafe owner else { return HTTP2Session.failure }
            unsafe HTTP2Session.of(owner).closed(stream, code)
            return HTTP2Session.success
        }
    }

    /// No server pushes to us: it was told not to before it could.
    private func isWelcome(_ type: UInt32) -> Bool {
        self.frames += 1
        return self.frames <= self.limits.maximumFrames && type != NGHTTP2_PUSH_PROMISE.rawValue
    }

    private func frameCame(_ head: nghttp2_frame_hd) {
        let isAcknowledgement = UInt32(head.flags) & NGHTTP2_FLAG_ACK.rawValue != 0
        switch UInt32(head.type) {
        case NGHTTP2_SETTINGS.rawValue where !isAcknowledgement: self.hasSettings = true
        case NGHTTP2_PING.rawValue where isAcknowledgement: self.isPinging = false
        case NGHTTP2_GOAWAY.rawValue: self.isGoingAway = true
        default: break
        }
    }

    private func field(_ name: String, _ value: String, of id: Int32) -> Bool {
        // Of one that was cancelled.
        guard var stream = self.streams.removeValue(forKey: id) else { return true }
        defer { self.streams[id] = stream }
        stream.fieldBytes += name.utf8.count + value.utf8.count + 32
        guard stream.fieldBytes <= self.limits.maximumFieldBytes else {
            stream.isTooLarge = true
            return false
        }
        if name == ":status" {
            // The last one counts: others may have come before it (RFC 9110 §15.2).
            stream.status = Int(value).flatMap { HTTPStatus(code: $0) }
            stream.fields = HTTPFields()
        } else if let name = HTTPFieldName(name) {
            stream.fields.append(name, value)
        }
        return true
    }

    private func body(_ bytes: UnsafeBufferPointer<UInt8>, of id: Int32) {
        guard var stream = self.streams.removeValue(forKey: id) else { return }
        defer { self.streams[id] = stream }
        guard !stream.isTooLarge else { return }
        stream.isTooLarge = stream.answer.count + bytes.count > self.limits.maximumBodyBytes
        if stream.isTooLarge { return self.reset(id) }
        unsafe stream.answer.append(contentsOf: bytes)
    }

    private func closed(_ id: Int32, _ code: UInt32) {
        guard let stream = self.streams.removeValue(forKey: id) else { return }
        self.events.append(Event(stream: id, outcome: Self.outcome(of: stream, code)))
    }

    private static func outcome(of stream: Stream, _ code: UInt32) -> Result<HTTP2Answer, HTTP2Error> {
        if stream.isTooLarge { return .failure(.answerTooLarge) }
        guard code == NGHTTP2_NO_ERROR.rawValue, let status = stream.status, !status.isInformational else {
            return .failure(code == NGHTTP2_REFUSED_STREAM.rawValue ? .unprocessed : .reset(code))
        }
        return .success(HTTP2Answer(status: status, fields: stream.fields, body: stream.answer))
    }

    /// - Returns: how many bytes, and whether they are the last ones.
    private func copyBody(of id: Int32, into target: UnsafeMutableBufferPointer<UInt8>) -> (Int, Bool) {
        guard var stream = self.streams.removeValue(forKey: id) else { return (0, true) }
        defer { self.streams[id] = stream }
        let rest = stream.body.dropFirst(stream.sent).prefix(target.count)
        for (index, byte) in rest.enumerated() { unsafe target[index] = byte }
        stream.sent += rest.count
        return (rest.count, stream.sent == stream.body.count)
    }
}

/// Names and values one after another, as libnghttp2 wants to be shown them.
private struct HeaderBlock {
    private var bytes: [UInt8] = []
    private var lengths: [(name: Int, value: Int)] = []

    mutating func append(_ name: String, _ value: String) {
        self.bytes += Array(name.utf8)
        self.bytes += Array(value.utf8)
        self.lengths.append((name.utf8.count, value.utf8.count))
    }

    mutating func withEntries<Value>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Value) -> Value {
        let lengths = self.lengths
        return unsafe self.bytes.withUnsafeMutableBufferPointer { bytes in
            var place = bytes.baseAddress
            var entries: [nghttp2_nv] = unsafe []
            for (name, value) in lengths {
                unsafe entries.append(
                    nghttp2_nv(
                        name: place, value: place?.advanced(by: name), namelen: name, valuelen: value,
                        flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
                unsafe place = place?.advanced(by: name + value)
            }
            return unsafe entries.withUnsafeBufferPointer { unsafe body($0) }
        }
    }
}
