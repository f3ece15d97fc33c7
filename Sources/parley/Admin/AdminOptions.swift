import Arguments
import Service
import Vocabulary

/// Which server a command speaks to, and for whom it prints.
struct AdminOptions: ParsableArguments {
    @Option(help: "Admin address of the running server.")
    var admin = ServiceConfiguration().admin

    @Option(help: "Token of the running server's --admin-token.")
    var adminToken: String?

    @Flag(help: "Print the server's answer as JSON.")
    var json = false

    var call: AdminCall { AdminCall(address: self.admin, token: self.adminToken) }
}
