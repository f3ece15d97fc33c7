/// A real PgBouncer in front of a server, for as long as a test holds on to it.
package final class PgBouncer: Sendable {
    private let folder: String
    private let child: SupervisedChild

    /// - Parameter mode: `session`, `transaction` or `statement`.
    /// - Parameter ignoring: startup parameters it takes without passing them on.
    package init(_ mode: String, ignoring: String = "", before server: PostgresServer) throws {
        let arguments = [server.folder, "\(server.port)", mode, ignoring]
        self.child = try SupervisedChild(script: PostgresServer.asOrdinary + Self.running, arguments)
        let first = self.child.readLine() ?? "nothing"
        guard first.hasPrefix("/"), self.child.readLine() == "ready" else {
            throw PostgresServer.Failure(description: first)
        }
        self.folder = first
    }

    package func url(_ database: String = "postgres") -> String {
        "postgresql://parley@\(self.folder.split(separator: "/").map { "%2F\($0)" }.joined()):6432/\(database)"
    }

    private static let running = """
        server=$1 port=$2 mode=$3 ignoring=$4
        PATH=$PATH:/usr/sbin:/usr/local/sbin
        command -v pgbouncer >/dev/null || { echo "Missing: the package pgbouncer (Scripts/install tests)"; exit 1; }
        folder=$(mktemp -d /tmp/parley-pb-XXXXXX)
        cat >"$folder/pgbouncer.ini" <<END
        [databases]
        * = host=$server port=$port user=parley
        [pgbouncer]
        unix_socket_dir = $folder
        listen_addr =
        listen_port = 6432
        auth_type = any
        pool_mode = $mode
        ignore_startup_parameters = $ignoring
        END
        if test "$(id -u)" = 0; then
            chown "$user" "$folder"
            set -- setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups pgbouncer -q "$folder/pgbouncer.ini"
        else
            set -- pgbouncer -q "$folder/pgbouncer.ini"
        fi
        "$@" >"$folder/log" 2>&1 </dev/null &
        process=$!; tries=0
        until test -S "$folder/.s.PGSQL.6432"; do
            tries=$((tries + 1))
            if test $tries -gt 300 || ! kill -0 "$process" 2>/dev/null; then cat "$folder/log"; kill "$process"; exit 1; fi
            sleep 0.03
        done
        echo "$folder"; echo ready
        read -r word
        kill -KILL "$process"; wait "$process" 2>/dev/null
        rm -rf "$folder"
        """
}
