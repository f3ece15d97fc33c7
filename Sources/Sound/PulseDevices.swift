internal import CPulse

/// Asks the sound server which microphones and loudspeakers there are.
package enum PulseDevices {
    /// A server on the same machine answers within milliseconds; this is for one that hangs.
    private static let timeout = Duration.seconds(2)

    /// Waits for the answer: for who has nothing else to do yet.
    package static func read() throws(SoundFailure) -> SoundDeviceList {
        let connection = try PulseConnection()
        let isSettled = connection.pump(for: Self.timeout) { connection.state != .connecting }
        if case .failed(let reason) = connection.state { throw .noServer(reason) }
        let answers = Answers()
        // Answers that come late find them here: the connection ends first.
        defer { withExtendedLifetime(answers) {} }
        guard isSettled, Self.ask(connection, answers) else { throw .noServer("it says nothing") }
        return answers.list
    }

    private static func ask(_ connection: PulseConnection, _ answers: Answers) -> Bool {
        let (functions, context) = unsafe (connection.functions, connection.context)
        let data = unsafe Unmanaged.passUnretained(answers).toOpaque()
        let server = unsafe functions.context_get_server_info(
            context, { unsafe Answers.of($2).heard(server: $1) }, data)
        let sources = unsafe functions.context_get_source_info_list(
            context, { unsafe Answers.of($3).heard(source: $1) }, data)
        let sinks = unsafe functions.context_get_sink_info_list(
            context, { unsafe Answers.of($3).heard(sink: $1) }, data)
        return unsafe Self.finishes(server, on: connection) && Self.finishes(sources, on: connection)
            && Self.finishes(sinks, on: connection)
    }

    private static func finishes(_ operation: OpaquePointer?, on connection: PulseConnection) -> Bool {
        guard let operation = unsafe operation else { return false }
        defer { unsafe connection.functions.operation_unref(operation) }
        return connection.pump(for: Self.timeout) {
            unsafe connection.functions.operation_get_state(operation) != PA_OPERATION_RUNNING
        }
    }

    /// What came so far.
    private final class Answers {
        private var devices: [(name: String, title: String, direction: SoundDevice.Direction, isMonitor: Bool)] = []
        private var presets: [SoundDevice.Direction: String] = [:]
        /// More than any machine has.
        private static let maximumDevices = 1_000

        static func of(_ data: UnsafeMutableRawPointer?) -> Answers {
            guard let data = unsafe data else { return Answers() }
            return unsafe Unmanaged<Answers>.fromOpaque(data).takeUnretainedValue()
        }

        var list: SoundDeviceList {
            SoundDeviceList(
                self.devices.map { device in
                    SoundDevice(
                        name: device.name, title: device.title, direction: device.direction,
                        isDefault: self.presets[device.direction] == device.name, isMonitor: device.isMonitor)
                })
        }

        func heard(server: UnsafePointer<pa_server_info>?) {
            guard let server = unsafe server?.pointee else { return }
            if let name = unsafe server.default_source_name { self.presets[.input] = unsafe String(cString: name) }
            if let name = unsafe server.default_sink_name { self.presets[.output] = unsafe String(cString: name) }
        }

        func heard(source: UnsafePointer<pa_source_info>?) {
            guard let source = unsafe source?.pointee else { return }
            let isMonitor = unsafe source.monitor_of_sink != UInt32.max
            unsafe self.add(source.name, source.description, .input, isMonitor)
        }

        func heard(sink: UnsafePointer<pa_sink_info>?) {
            guard let sink = unsafe sink?.pointee else { return }
            unsafe self.add(sink.name, sink.description, .output, false)
        }

        private func add(
            _ name: UnsafePointer<CChar>?, _ title: UnsafePointer<CChar>?, _ direction: SoundDevice.Direction,
            _ isMonitor: Bool
        ) {
            guard let name = unsafe name.map({ unsafe String(cString: $0) }), self.devices.count < Self.maximumDevices
            else { return }
            let title = unsafe title.map { unsafe String(cString: $0) } ?? name
            self.devices.append((name, title, direction, isMonitor))
        }
    }
}
