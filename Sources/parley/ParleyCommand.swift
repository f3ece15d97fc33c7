import Arguments

/// The root of all commands.
struct ParleyCommand: CommandGroup {
    static let configuration = CommandConfiguration(
        name: "parley",
        abstract: "Self-hosted signalling, chat and calls.",
        version: Version.text,
        exitCodes: [
            .init(.success, "Success."),
            .init(.failure, "The command failed; the reason is on standard error."),
            .init(.usage, "The command line, the environment or the configuration file is wrong."),
        ],
        subcommands: [
            ServeCommand.self, CallCommand.self, AnswerCommand.self, DevicesCommand.self,
            PeerCommand.self, ChatCommand.self,
            SendCommand.self, HistoryCommand.self, GroupCommand.self, RegisterCommand.self, LoginCommand.self,
            BackupCommand.self, CheckCommand.self, MoveCommand.self,
            StunCommand.self, LoadCommand.self, VoiceCommand.self, UsersCommand.self, RoomsCommand.self,
            NodesCommand.self, WebhooksCommand.self,
            AuditCommand.self, ModeratorsCommand.self, ReportsCommand.self, RulesCommand.self,
            PushCommand.self,
            TokenCommand.self,
            HelpCommand.self, ConfigCommand.self, CompletionsCommand.self, ManualCommand.self,
        ]
    )
}
