import Arguments
import Testing

@Suite("Help")
struct HelpTests {
    @Test("shows everything that was declared, and nothing that was hidden")
    func sail() throws {
        #expect(
            try HelpRequest.text(for: ["sail"], in: Ship.self) == Self.sailing)
    }

    @Test("lists the commands of a group")
    func group() throws {
        #expect(
            try HelpRequest.text(for: [], in: Ship.self) == """
                Sails the seas.

                USAGE
                  ship [OPTIONS] COMMAND

                OPTIONS
                  -h, --help     Show this help and end.
                      --version  Show the version and end.

                SUBCOMMANDS
                  sail  Sail to a port.
                  crew  Everybody on board.

                EXIT CODES
                  0   Arrived.
                  64  Wrong orders.
                """)
    }

    @Test("fits any width a person may have", arguments: [40, 60, 80, 120])
    func width(columns: Int) throws {
        for words in [[], ["sail"], ["crew"], ["crew", "hire"]] {
            let text = try HelpRequest.text(for: words, in: Ship.self, width: columns)
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= columns })
        }
    }

    @Test("knows what is near a command that does not exist")
    func unknown() {
        #expect(throws: CommandFailure("unknown command 'hrie'; did you mean 'hire'?", exitCode: .usage)) {
            try HelpRequest.text(for: ["crew", "hrie"], in: Ship.self)
        }
    }

    private static let sailing = #"""
        Sail to a port.

        USAGE
          ship sail [OPTIONS] PORT [STOPS…]

        The wind decides how long it takes.

        ARGUMENTS
          PORT      The port.
          [STOPS…]  Ports on the way.

        OPTIONS
          -s, --speed slow|steady|full  How fast. (default: steady)
          -t, --time-limit TIME         How long at most. (default: 90s)
          -g, --cargo TEXT              What to carry. (can be repeated)
              --water N                 How much water. (default: 2048)
              --depth NUMBER            How deep.
              --orders FILE             Orders in a file.
          -v, --verbose                 Say more. (can be repeated)
          -x, --dry-run                 Only pretend.
              --[no-]lamps              Light the lamps. (default: yes)
              --from TEXT               Where to begin.
              --to TEXT                 Where to end.
          -h, --help                    Show this help and end.

        EXAMPLES
          ship sail --speed full harbour
              As fast as it goes.

        EXIT CODES
          75  There is no wind.

        ENVIRONMENT
          SHIP_SPEED       as --speed
          SHIP_TIME_LIMIT  as --time-limit
          SHIP_CARGO       as --cargo
          SHIP_WATER       as --water
          DEPTH            as --depth
          SHIP_ORDERS      as --orders
          SHIP_VERBOSE     as --verbose
          SHIP_DRY_RUN     as --dry-run
          SHIP_LAMPS       as --lamps
          SHIP_FROM        as --from
          SHIP_TO          as --to

        A configuration file holds lines of the form 'name = value', with the names of
        the long options; '#' begins a comment line. The command line stands over the
        environment, the environment over the file.
        """#
}
