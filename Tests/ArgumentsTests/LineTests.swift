import Arguments
import TestSupport
import Testing

@Suite("A command line")
struct LineTests {
    @Test("leaves what is not given at its default")
    func defaults() throws {
        let sail = try Harbour().sail("harbour")
        #expect(sail.speed == .steady && sail.timeLimit == .seconds(90) && sail.water == 2048)
        #expect(sail.cargo.isEmpty && sail.depth == nil && sail.verbose == 0 && !sail.dryRun && sail.lamps)
        #expect(sail.chart.from == nil && sail.port == "harbour" && sail.stops.isEmpty)
    }

    @Test(
        "takes an option in every spelling",
        arguments: [
            ["--speed", "full"], ["--speed=full"], ["-s", "full"], ["-sfull"], ["-xs", "full"], ["-vvxsfull"],
        ]
    )
    func spellings(words: [String]) throws {
        let sail: Sail = try Harbour().command(["sail", "harbour"] + words)
        #expect(sail.speed == .full)
    }

    @Test("takes letters in a bundle and counts them")
    func bundles() throws {
        let sail = try Harbour().sail("-vxv", "harbour", "-v")
        #expect(sail.verbose == 3 && sail.dryRun)
    }

    @Test("keeps everything behind the equals sign, and nothing is a value too")
    func attached() throws {
        #expect(try Harbour().sail("--cargo=a=b", "--cargo=", "-g=c", "p").cargo == ["a=b", "", "=c"])
    }

    @Test("collects an option that is repeated, and otherwise lets the last word count")
    func repetition() throws {
        let sail = try Harbour().sail("-g", "tea", "--cargo", "silk", "--speed", "slow", "p", "--speed", "full")
        #expect(sail.cargo == ["tea", "silk"] && sail.speed == .full)
    }

    @Test("turns a flag off by its opposite")
    func inversion() throws {
        #expect(try Harbour().sail("--no-lamps", "p").lamps == false)
        #expect(try Harbour().sail("--no-lamps", "--lamps", "p").lamps)
        #expect(Harbour().refusal("sail", "--no-dry-run", "p") != nil)
    }

    @Test("sends words to arguments in their order, with options anywhere")
    func positionals() throws {
        let sail = try Harbour().sail("p", "--speed", "full", "q", "-x", "r")
        #expect(sail.port == "p" && sail.stops == ["q", "r"])
    }

    @Test("ends its options at two dashes, and takes one dash as a value")
    func dashes() throws {
        let sail = try Harbour().sail("-", "--", "--speed", "-x")
        #expect(sail.port == "-" && sail.stops == ["--speed", "-x"] && !sail.dryRun)
        #expect(try Harbour().sail("--from", "-", "p").chart.from == "-")
    }

    @Test("takes negative numbers as values")
    func negatives() throws {
        #expect(try Harbour().sail("--depth", "-2.5", "-7").port == "-7")
        #expect(try Harbour().sail("--depth", "-2.5", "p").depth == -2.5)
    }

    @Test("finds commands below commands, optional and default arguments")
    func subcommands() throws {
        let hire: Hire = try Harbour().command(["crew", "hire", "--as", "cook"])
        #expect(hire.role == "cook" && hire.count == 1 && hire.reference == nil && hire.cabin == nil)
        let another: Hire = try Harbour().command(["crew", "hire", "3", "anna", "--as=cook", "--cabin", "b"])
        #expect(another.count == 3 && another.reference == "anna" && another.cabin == "b")
    }

    @Test("makes a fresh command each time")
    func fresh() throws {
        let harbour = Harbour()
        #expect(try harbour.sail("-x", "-g", "tea", "p").dryRun)
        let second = try harbour.sail("p")
        #expect(!second.dryRun && second.cargo.isEmpty)
    }

    @Test(
        "asks for help or the version before anything else is missing",
        arguments: [["sail", "-h"], ["sail", "-xh", "p"], ["--help"]])
    func help(words: [String]) {
        guard case .show(let text, .success) = Harbour().parse(words) else { return #expect(Bool(false)) }
        #expect(text.contains("USAGE"))
    }

    @Test("shows the version where there is one")
    func version() {
        guard case .show("ship 1.2.3", .success) = Harbour().parse(["--version"]) else { return #expect(Bool(false)) }
        #expect(Harbour().refusal("sail", "--version") == "ship sail: unknown option '--version'")
    }

    @Test(
        "shows help when a group of commands is called alone, and says that it is not all", arguments: [[], ["crew"]])
    func groups(words: [String]) {
        guard case .show(let text, .usage) = Harbour().parse(words) else { return #expect(Bool(false)) }
        #expect(text.contains("SUBCOMMANDS"))
    }

    @Test("A command line of any words is run, answered or refused")
    func noise() {
        var random = SeededRandom(seed: 10)
        let pieces = [
            "sail", "crew", "hire", "--", "-", "--speed", "--speed=", "-s", "-vxs", "--no-lamps", "=", "--=", "---",
            "-=",
            "full", "", "--orders", "o", "-5", "--cargo=\u{0}", "早", "-早", "--no-", "\u{301}",
        ]
        let harbour = Harbour(files: ["o": "speed = full\n"])
        var refusals = 0
        for _ in 0..<5000 {
            let words = (0..<Int.random(in: 0..<7, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }
            switch harbour.parse(words) {
            case .run(_, let name): #expect(!name.isEmpty)
            case .show(let text, _): #expect(!text.isEmpty)
            case .refuse: refusals += 1
            }
        }
        #expect((1..<5000).contains(refusals))
    }
}
