internal import Calling
internal import Keeping
internal import Reactor
internal import Vocabulary

/// Wakes a callee's devices while a call rings, and takes that back when it does not ring any more. Lives on the home loop.
///
///     ring ──▶ requested ──found──▶ sent ──withdraw──▶ gone
///                  └──none, withdraw────────────────────▲
final class CallPushes {
    private enum State {
        /// The store is asked for the callee's devices. Can become: sent.
        case requested
        /// These were told of the call. The last state.
        case sent([PushDevice])
    }

    private let sender: PushSender
    private let settings: PushSettings
    private let store: any Store
    private let reactor: Reactor
    private let ringTime: Duration
    /// The calls that ring. One is in here for as long at most.
    private var calls: [CallID: State] = [:]

    init(
        _ sender: PushSender, _ settings: PushSettings, ringTime: Duration, _ store: any Store, on reactor: Reactor
    ) {
        self.sender = sender
        self.settings = settings
        self.ringTime = ringTime
        self.store = store
        self.reactor = reactor
    }

    /// - Parameter found: is told whether there are devices to wake, unless the call was withdrawn by then.
    func ring(_ invitation: CallInvitation, callerName: DisplayName, _ found: @escaping (Bool) -> Void) {
        let message = PushMessage(
            invitation, callerName: callerName, at: SystemClock.now(), for: self.ringTime, self.settings.content)
        self.calls[invitation.id] = .requested
        self.store.send(
            FindCallDevices(from: invitation.caller.user, to: invitation.callee),
            self.reactor.returning { [weak self] result in
                guard let self, self.calls[invitation.id] != nil else { return }
                // Where the store has no time, the call rings whom it reaches.
                let devices = self.awake((try? result.get()) ?? [], message)
                self.calls[invitation.id] = devices.isEmpty ? nil : .sent(devices)
                for device in devices { self.send(message, to: device) }
                found(!devices.isEmpty)
            })
    }

    func withdraw(_ call: CallID) {
        guard case .sent(let devices) = self.calls.removeValue(forKey: call) else { return }
        let message = PushMessage.over(call, at: SystemClock.now())
        // What has not left yet need not be taken back.
        for device in devices where !self.sender.withdraw(message.topic, of: device) { self.send(message, to: device) }
    }

    /// Without those whose quiet hours a call does not break.
    private func awake(_ devices: [PushDevice], _ message: PushMessage) -> [PushDevice] {
        let now = SystemClock.now()
        return devices.filter { device in
            guard let quiet = device.quiet, !quiet.letsCallsThrough, quiet.contains(now) else { return true }
            self.sender.trace.note(
                PushEvent(
                    .silenced, of: message.id, for: device.user, on: device.device, about: message.subject, at: now))
            return false
        }
    }

    private func send(_ message: PushMessage, to device: PushDevice) {
        self.sender.send(.init(device: device, message: message, urgency: .high, ended: .init {}))
    }
}
