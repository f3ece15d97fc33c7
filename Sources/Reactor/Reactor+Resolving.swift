internal import CSockets
internal import CUV
package import Vocabulary

extension Reactor {
    /// Looks up the addresses of a name on a helper thread, the best one first.
    package func resolve(
        _ name: String, completion: @escaping (Result<[IPAddress], ReactorError>) -> Void
    ) {
        self.offload({ Self.lookUp(name) }, completion: completion)
    }

    private static func lookUp(_ name: String) -> Result<[IPAddress], ReactorError> {
        var hints = unsafe addrinfo()
        // Without a type every address comes once for each.
        unsafe hints.ai_socktype = SystemSocket.stream
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else {
            let known = code == EAI_AGAIN ? UV_EAI_AGAIN : UV_EAI_NONAME
            return .failure(ReactorError(.resolve, code: known.rawValue, name))
        }
        defer { unsafe freeaddrinfo(list) }
        return .success(unsafe self.addresses(in: list))
    }

    private static func addresses(in list: UnsafeMutablePointer<addrinfo>?) -> [IPAddress] {
        var addresses: [IPAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe SystemAddress(entry.pointee)?.socketAddress { addresses.append(address.ip) }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }
}

extension SystemAddress {
    fileprivate init?(_ entry: addrinfo) {
        let length = Int(unsafe entry.ai_addrlen)
        guard let source = unsafe entry.ai_addr, length <= MemoryLayout<sockaddr_storage>.size else { return nil }
        self.init()
        let bytes = unsafe UnsafeRawBufferPointer(start: source, count: length)
        unsafe withUnsafeMutableBytes(of: &self.storage) { unsafe $0.copyMemory(from: bytes) }
        self.length = unsafe entry.ai_addrlen
    }
}
