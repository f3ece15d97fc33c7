import Secure
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// What a push costs before it is sent, as one line of JSON: microseconds of CPU for each kind of work.

func cpuMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

func measure(_ name: String, _ count: Int, _ work: () throws -> Int) rethrows -> String {
    var sum = 0
    for _ in 0..<200 { sum &+= try work() }
    let start = cpuMicroseconds()
    for _ in 0..<count { sum &+= try work() }
    let each = (cpuMicroseconds() - start) / Double(count)
    precondition(sum != 0, "\(name) did nothing")
    return "\"\(name)\": \(each)"
}

let device = try P256Key().publicPoint
let secret = [UInt8](repeating: 7, count: PushCipher.secretLength)
let message = [UInt8](repeating: 32, count: 300)
let key = try VAPIDKey(derivedFrom: secret, contact: "mailto:somebody@example.com")
let now = WallTime(milliseconds: 1_800_000_000_000)

let results = [
    // As for a device out of the store: its keys are read for each push.
    try measure("encrypt", 5000) { try PushCipher(publicKey: device, secret: secret).seal(message).count },
    try measure("sign", 5000) { try key.token(for: "https://push.example.com", at: now).field.utf8.count },
]
print("{" + results.joined(separator: ", ") + "}")
