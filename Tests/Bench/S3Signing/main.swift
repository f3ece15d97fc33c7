import S3
import Vocabulary

// What it costs to sign a request for an S3 store, and a link into one, as one line of JSON: microseconds each.

let keys = try S3Keys(id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
guard let address = S3Address("s3://files/talk?endpoint=https://s3.example.org&region=eu-1"),
    let hash = ContentHash([UInt8](repeating: 0xAB, count: 32))
else { preconditionFailure("an address and a hash") }
let key = S3Names(in: address).key(of: hash)
let signer = SigV4(keys, region: address.region)
let query: SigV4.Pairs = [
    ("response-cache-control", "private, max-age=3600, immutable"), ("response-content-disposition", "inline"),
    ("response-content-type", "image/jpeg"),
]

func microseconds(_ work: (WallTime) -> Int) -> Double {
    let count = 20_000
    var sum = 0
    let start = ContinuousClock.now
    for number in 0..<count { sum &+= work(WallTime(seconds: 1_700_000_000 + Int64(number))) }
    precondition(sum > 0, "nothing was done")
    return (ContinuousClock.now - start) / .microseconds(count)
}

let request = microseconds { time in
    S3Request.get(key).signed(by: keys, for: address, host: "s3.example.org", at: time).target.utf8.count
}
let link = microseconds { time in
    signer.presigned(
        "GET", path: address.path(of: key), query: query, host: "s3.example.org", at: time, seconds: 3600
    ).utf8.count
}
print("{\"request\": \(request), \"link\": \(link)}")
