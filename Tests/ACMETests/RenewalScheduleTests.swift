import Secure
import Testing
import Vocabulary

@testable import ACME

@Suite("The schedule of renewals")
struct RenewalScheduleTests {
    /// Good for ninety days and the hour of grace before its making.
    private let certificate: IssuedCertificate
    private let start: WallTime

    init() throws {
        let identity = try SelfSignedIdentity(names: ["a.example", "b.example"], lifetime: .seconds(90 * 86_400))
        self.certificate = try IssuedCertificate(pem: try identity.pem)
        self.start = self.certificate.notBefore
    }

    private static let hour = Duration.seconds(3600)
    private static let day = Duration.seconds(86_400)

    @Test(
        "A certificate is renewed when a third of its life is left, a little earlier on some servers",
        arguments: [0, 0.5, 1])
    func third(jitter: Double) {
        let schedule = RenewalSchedule(names: ["a.example"], jitter: jitter)
        let wait = schedule.wait(after: self.certificate, at: self.start)
        #expect(wait <= Self.day * 60.1 && wait >= Self.day * 57 - Self.hour)
        #expect(schedule.wait(after: self.certificate, at: self.start + Self.day * 61) == .zero)
    }

    @Test("A certificate is asked for at once where there is none, or none for every name")
    func none() {
        #expect(RenewalSchedule(names: ["a.example"], jitter: 0).wait(after: nil, at: self.start) == .zero)
        let more = RenewalSchedule(names: ["a.example", "c.example"], jitter: 0)
        #expect(more.wait(after: self.certificate, at: self.start) == .zero)
    }

    @Test("What fails is tried again later and later, and four times at most in the first hour")
    func failures() {
        var schedule = RenewalSchedule(names: ["a.example"], jitter: 0.5)
        var (time, tries) = (self.start, 0)
        for _ in 0..<20 {
            if time < self.start + Self.hour { tries += 1 }
            schedule.failed(at: time, retryAfter: nil)
            let wait = schedule.wait(after: nil, at: time)
            #expect(wait >= .seconds(120) && wait <= Self.hour * 15)
            time = time + wait
        }
        #expect(tries == 4)
        schedule.forgetFailures()
        #expect(schedule.wait(after: nil, at: time) == .zero)
    }

    @Test("What the authority asks for counts, up to a day")
    func retryAfter() {
        var schedule = RenewalSchedule(names: ["a.example"], jitter: 0)
        schedule.failed(at: self.start, retryAfter: Self.hour * 5)
        #expect(schedule.wait(after: nil, at: self.start) == Self.hour * 5)
        schedule.forgetFailures()
        schedule.failed(at: self.start, retryAfter: Self.day * 1000)
        #expect(schedule.wait(after: nil, at: self.start) == Self.day)
    }

    @Test("An authority whose certificates end at once is not asked without a pause")
    func pause() {
        var schedule = RenewalSchedule(names: ["a.example"], jitter: 0)
        let late = self.certificate.notAfter + Self.day
        schedule.succeeded(at: late)
        #expect(schedule.wait(after: self.certificate, at: late) == .seconds(60))
    }
}
