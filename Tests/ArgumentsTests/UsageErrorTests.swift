import Arguments
import Testing

@Suite("A mistake")
struct UsageErrorTests {
    @Test(
        "is told in one line that says what is wrong and what is near",
        arguments: [
            (["--sped", "full"], "ship sail: unknown option '--sped'; did you mean '--speed'?"),
            (["--no-lamp"], "ship sail: unknown option '--no-lamp'; did you mean '--no-lamps'?"),
            (["--quite-different"], "ship sail: unknown option '--quite-different'"),
            (["-q"], "ship sail: unknown option '-q'"),
            (["-speed"], "ship sail: -s: 'peed' is not one of slow, steady, full"),
            (["--speed"], "ship sail: --speed needs a value (slow|steady|full)"),
            (["--speed", "--lamps"], "ship sail: --speed needs a value (slow|steady|full)"),
            (["-s", "--"], "ship sail: -s needs a value (slow|steady|full)"),
            (
                ["--speed", "ful", "p"],
                "ship sail: --speed: 'ful' is not one of slow, steady, full; did you mean 'full'?"
            ),
            (["--dry-run=yes"], "ship sail: --dry-run takes no value, but was given 'yes'"),
            (
                ["--time-limit", "soon", "p"],
                "ship sail: --time-limit: 'soon' is not a time such as 100ms, 30s, 5m or 2h"
            ),
            (["-t5", "p"], "ship sail: -t: '5' is not a time such as 100ms, 30s, 5m or 2h"),
            (["--water", "1k", "p"], "ship sail: --water: '1k' is not a whole number"),
            (["--secre=x", "p"], "ship sail: unknown option '--secre'"),
            ([], "ship sail: missing argument PORT"),
            (["--from", "a", "--to", "a", "p"], "ship sail: --from and --to are the same port"),
            (["p", "--orders", "lost"], "ship sail: --orders: 'lost' cannot be read: no such file"),
            (["--cargo\u{1B}[2J"], "ship sail: unknown option '--cargo\u{FFFD}[2J'"),
        ]
    )
    func sailing(words: [String], message: String) {
        guard case .refuse(let error) = Harbour().parse(["sail"] + words) else { return #expect(Bool(false)) }
        #expect("\(error.command): \(error.message)" == message)
        #expect(!error.message.contains("\n") && error.exitCode == .usage && error.exitCode.rawValue == 64)
    }

    @Test("in the name of a command is told too")
    func commands() {
        #expect(Harbour().refusal("sial") == "ship: unknown command 'sial'; did you mean 'sail'?")
        #expect(Harbour().refusal("fly") == "ship: unknown command 'fly'")
        #expect(Harbour().refusal("crew", "hier") == "ship crew: unknown command 'hier'; did you mean 'hire'?")
        #expect(Harbour().refusal("crew", "hire") == "ship crew hire: missing option '--as ROLE'")
        #expect(
            Harbour().refusal("crew", "hire", "--as", "x", "1", "y", "z") == "ship crew hire: unexpected argument 'z'")
    }

    @Test("says what to type to learn more")
    func hint() {
        guard case .refuse(let error) = Harbour().parse(["crew", "hire"]) else { return #expect(Bool(false)) }
        #expect(error.description == "ship crew hire: missing option '--as ROLE'\ntry 'ship crew hire --help'")
    }
}
