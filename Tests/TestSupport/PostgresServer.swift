#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A real PostgreSQL in a folder of its own, as an ordinary user, for as long as a test holds on to it.
///
/// It listens on a Unix socket in its folder, where everybody is who they say, and where asked for on a TCP port of the
/// loopback address with passwords (SCRAM) and TLS.
package final class PostgresServer: @unchecked Sendable {
    // Unchecked because its tests kill, stop and start it one after the other.
    package let folder: String
    package let port: UInt16
    private let programs: String
    private let settings: [String]
    private var child: SupervisedChild?
    private var process = ""

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package enum Signal: String { case kill = "KILL", stop = "STOP", goOn = "CONT", end = "INT" }

    /// One for all tests of the process that need nothing special, each with a database of its own (`freshDatabase`).
    package static func shared() throws -> PostgresServer { try self.sharedResult.get() }
    private static let sharedResult = Result { try PostgresServer() }

    /// - Parameter settings: as `name=value`.
    /// - Parameter acceptsTCP: also on 127.0.0.1 and ::1, with SCRAM.
    /// - Parameter access: lines of `pg_hba.conf` that go before our own.
    /// - Parameter isStandby: it never leaves recovery.
    package init(
        _ settings: [String] = [], acceptsTCP: Bool = false, certificate: TestCertificate? = nil,
        access: [String] = [], isStandby: Bool = false
    ) throws {
        self.programs = try Self.findPrograms()
        self.port = acceptsTCP ? Self.freePort() : 5432
        let own = ["fsync=off", "max_connections=500", "listen_addresses=\(acceptsTCP ? "localhost" : "")"]
        let secure = certificate == nil ? [] : ["ssl=on", "ssl_cert_file=server.pem", "ssl_key_file=server.key"]
        self.settings = own + secure + settings
        let files = certificate.map { [$0.certificate, $0.key] } ?? []
        self.folder = try SupervisedChild.run(script: Self.making, [self.programs, isStandby ? "yes" : ""] + files)
        try self.write(access: access)
        try self.start()
    }

    /// A server that runs takes its folder along.
    deinit {
        guard self.child == nil else { return }
        _ = try? SupervisedChild.run(script: "rm -rf \"$1\"", [self.folder])
    }

    /// Where it is, for one of its databases over the Unix socket.
    package func url(_ database: String = "postgres", _ parameters: String = "") -> String {
        let folder = self.folder.split(separator: "/").joined(separator: "%2F")
        let more = parameters.isEmpty ? "" : "?\(parameters)"
        return "postgresql://parley@%2F\(folder):\(self.port)/\(database)\(more)"
    }

    /// The URL of a new, empty database.
    package func freshDatabase() throws -> String {
        let name = "test_\(UInt64.random(in: 0 ... .max))"
        try self.sql("CREATE DATABASE \(name)")
        return self.url(name)
    }

    /// Carries out a statement as its administrator; gives back the rows, columns with `|` between them.
    @discardableResult
    package func sql(_ text: String, in database: String = "postgres") throws -> String {
        try SupervisedChild.run(
            script: "\"$1/psql\" -X -q -A -t -v ON_ERROR_STOP=1 -U parley -h \"$2\" -p \"$3\" -d \"$4\" -c \"$5\"",
            [self.programs, self.folder, "\(self.port)", database, text])
    }

    /// To the server and all of its sessions, as when its machine loses power, freezes, or goes on.
    package func signal(_ signal: Signal) throws {
        try SupervisedChild.run(script: Self.signalling, [signal.rawValue, self.process])
        guard signal == .kill || signal == .end else { return }
        self.child?.write("keep\n")
        self.child = nil
    }

    /// Starts it again after it was killed or ended.
    package func start() throws {
        let child = try SupervisedChild(
            script: Self.running, [self.programs, self.folder, "\(self.port)"] + self.settings)
        guard let process = child.readLine(), child.readLine() == "ready" else {
            throw Failure(description: (try? SupervisedChild.run(script: "cat \"$1/log\"", [self.folder])) ?? "no log")
        }
        self.child = child
        self.process = process
    }

    private func write(access: [String]) throws {
        let own = [
            "local all all trust", "host all all 127.0.0.1/32 scram-sha-256", "host all all ::1/128 scram-sha-256",
        ]
        try SupervisedChild.run(
            script: "printf '%s\\n' \"$2\" > \"$1/data/pg_hba.conf\"",
            [self.folder, (access + own).joined(separator: "\n")])
    }

    /// Debian keeps a folder for each version; elsewhere they are on the path.
    private static func findPrograms() throws -> String {
        let script = """
            for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV) $(echo "$PATH" | tr : ' '); do
                if test -x "$folder/initdb" && test -x "$folder/postgres"; then echo "$folder"; exit; fi
            done
            """
        let folder = try SupervisedChild.run(script: script, [])
        guard !folder.isEmpty else {
            throw Failure(description: "Missing: the package postgresql (Scripts/install tests)")
        }
        return folder
    }

    /// PostgreSQL refuses to run as root.
    static let asOrdinary = """
        ordinary() {
            if test "$(id -u)" != 0; then "$@"; return; fi
            setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env HOME="$folder" "$@"
        }
        user=$(id -un); if test "$(id -u)" = 0; then user=$(id -un postgres 2>/dev/null || echo nobody); fi

        """

    private static let making =
        asOrdinary + """
            set -e
            folder=$(mktemp -d /tmp/parley-pg-XXXXXX)
            if test "$(id -u)" = 0; then chown "$user" "$folder"; fi
            cd "$folder"
            ordinary "$1/initdb" -D "$folder/data" -U parley -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$folder/log" 2>&1 \\
                || { cat "$folder/log"; exit 1; }
            if test -n "$2"; then ordinary touch "$folder/data/standby.signal"; fi
            if test -n "$3"; then
                cp "$3" "$folder/data/server.pem"; cp "$4" "$folder/data/server.key"
                chown "$user" "$folder/data/server.pem" "$folder/data/server.key"; chmod 600 "$folder/data/server.key"
            fi
            echo "$folder"
            """

    /// The server is the shell's only child, and goes when nothing can be read any more; its folder too.
    private static let running =
        asOrdinary + """
            programs=$1 folder=$2 port=$3; shift 3; cd "$folder"
            for setting in "$@"; do set -- "$@" -c "$setting"; shift; done
            set -- "$programs/postgres" -D "$folder/data" -p "$port" -c unix_socket_directories="$folder" "$@"
            if test "$(id -u)" = 0; then
                set -- setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env HOME="$folder" "$@"
            fi
            "$@" >>"$folder/log" 2>&1 </dev/null &
            process=$!; echo "$process"
            tries=0
            until "$programs/pg_isready" -q -h "$folder" -p "$port"; do
                tries=$((tries + 1))
                if test $tries -gt 1000 || ! kill -0 "$process" 2>/dev/null; then kill -KILL "$process"; exit 1; fi
                sleep 0.03
            done
            echo ready
            read -r word
            kill -CONT "$process" $(pgrep -P "$process") 2>/dev/null
            # At once, but with its shared memory.
            kill -QUIT "$process" 2>/dev/null
            wait "$process" 2>/dev/null
            test "$word" = keep || rm -rf "$folder"
            """

    /// All at once: nobody has a word left when another one dies.
    private static let signalling = """
        sessions=$(pgrep -P "$2")
        case "$1" in
        INT) kill -INT "$2" ;;
        KILL) kill -STOP "$2" $sessions; kill -KILL "$2" $sessions ;;
        *) kill "-$1" "$2" $sessions ;;
        esac
        """

    /// One that nobody listens on, below those that the system gives to connections.
    private static func freePort() -> UInt16 {
        let ports = (0..<100).lazy.map { _ in UInt16.random(in: 20_000...32_000) }
        return ports.first { SystemPort.isFree($0) } ?? 0
    }
}
