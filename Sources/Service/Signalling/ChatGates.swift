internal import Keeping
internal import Operations
internal import Switchboard

/// Several that decide, one after the other: what the first refuses no other is asked about.
final class ChatGates: ChatGate {
    private let gates: [any ChatGate]

    /// Nil where nobody decides.
    init?(_ gates: [any ChatGate], then last: (any ChatGate)?) {
        let gates = gates + [last].compactMap(\.self)
        guard !gates.isEmpty else { return nil }
        self.gates = gates
    }

    func judge(_ request: ChangeRequest, _ verdict: @escaping (RequestError?) -> Void) {
        self.judge(request, self.gates[...], verdict)
    }

    private func judge(
        _ request: ChangeRequest, _ gates: ArraySlice<any ChatGate>, _ verdict: @escaping (RequestError?) -> Void
    ) {
        guard let gate = gates.first else { return verdict(nil) }
        gate.judge(request) { refusal in
            guard refusal == nil else { return verdict(refusal) }
            self.judge(request, gates.dropFirst(), verdict)
        }
    }
}
