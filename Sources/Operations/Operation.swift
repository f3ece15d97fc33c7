/// Everything that a client may ask for, by name.
package enum Operation: Hashable, Sendable {
    case signal
    case room(RoomOperation)
    case call(CallOperation)
    case presence(PresenceOperation)
    case profile(ProfileOperation)
    case chat(ChatOperation)
    case session(SessionOperation)

    package static let all: [Operation] =
        [.signal] + RoomOperation.allCases.map { .room($0) } + CallOperation.allCases.map { .call($0) }
        + PresenceOperation.allCases.map { .presence($0) } + ProfileOperation.allCases.map { .profile($0) }
        + ChatOperation.allCases.map { .chat($0) } + SessionOperation.allCases.map { .session($0) }

    package var name: String {
        switch self {
        case .signal: "signal"
        case .room(let operation): operation.rawValue
        case .call(let operation): operation.rawValue
        case .presence(let operation): operation.rawValue
        case .profile(let operation): operation.rawValue
        case .chat(let operation): operation.rawValue
        case .session(let operation): operation.rawValue
        }
    }

    package var description: OperationDescription {
        switch self {
        case .signal: SignalRequest.description
        case .room(let operation): operation.specification.description
        case .call(let operation): operation.specification.description
        case .presence(let operation): operation.specification.description
        case .profile(let operation): operation.specification.description
        case .chat(let operation): operation.specification.description
        case .session(let operation): operation.specification.description
        }
    }
}

// MARK: - By name

extension Operation {
    /// Nil when nothing has this name. Nothing is allocated: this is asked of every message.
    package init?(_ name: Span<UInt8>) {
        // There are more signals than of everything else together.
        if Self.signal.isCalled(name) {
            self = .signal
            return
        }
        guard let operation = Self.byHash[Self.hash(name)], operation.isCalled(name) else { return nil }
        self = operation
    }

    package init?(_ name: String) {
        let bytes = Array(name.utf8)
        self.init(bytes.span)
    }

    private static let byHash: [UInt64: Operation] = {
        let pairs = Self.all.map { operation in
            let name = Array(operation.name.utf8)
            return (Self.hash(name.span), operation)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }()

    /// FNV-1a, of 64 bits.
    private static func hash(_ name: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in name.indices { hash = (hash ^ UInt64(name[index])) &* 0x0000_0100_0000_01B3 }
        return hash
    }

    private func isCalled(_ name: Span<UInt8>) -> Bool {
        let own = self.name.utf8
        guard own.count == name.count else { return false }
        var index = 0
        for byte in own {
            guard name[index] == byte else { return false }
            index += 1
        }
        return true
    }
}
