import System
import Arguments

/// From the words of a command line to the exit code.
enum Program {
    static func run(_ words: [String]) -> ExitCode {
        let parser = CommandParser(
            ParleyCommand.self,
            environment: ProcessEnvironment.variables,
            readFile: TextFile.read
        )
        switch parser.parse(words, width: Terminal.columns) {
        case .run(let command, let name):
            return self.run(command, named: name)
        case .show(let text, .success):
            print(text)
            return .success
        case .show(let text, let code):
            Terminal.complain(text)
            return code
        case .refuse(let error):
            Terminal.complain(error.description)
            return error.exitCode
        }
    }

    private static func run(_ command: any ParsableCommand, named name: String) -> ExitCode {
        var command = command
        do {
            return try command.run()
        } catch let code as ExitCode {
            return code
        } catch let failure as CommandFailure {
            Terminal.complain("\(name): \(failure)")
            return failure.exitCode
        } catch {
            Terminal.complain("\(name): \(error)")
            return .failure
        }
    }
}
