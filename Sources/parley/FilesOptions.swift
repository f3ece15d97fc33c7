internal import Arguments
internal import S3
internal import Service
internal import System

/// Where files lie, as options of every command that looks for them.
struct FilesOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Keep files in an S3 store: s3://BUCKET/PREFIX?endpoint=https://s3.example.org&region=eu-1, with the keys in \
            AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Default: the data directory.
            """, valueName: "URL"))
    var files: S3Argument?

    @Option(
        help: ArgumentHelp(
            "File with aws_access_key_id and aws_secret_access_key, instead of the environment.", valueName: "FILE"),
        completion: .file)
    var filesKeys: String?

    func validate() throws(ValidationError) { _ = try self.read() }

    var store: S3Settings? { (try? self.read()) ?? nil }

    private func read() throws(ValidationError) -> S3Settings? {
        guard let files else {
            guard self.filesKeys == nil else {
                throw ValidationError("--files-keys needs --files, which says what they open")
            }
            return nil
        }
        return S3Settings(files.address, try self.keys())
    }

    private func keys() throws(ValidationError) -> S3Keys {
        let place = self.filesKeys ?? "the environment"
        do {
            guard let path = self.filesKeys else { return try S3Keys(environment: ProcessEnvironment.variables) }
            return try S3Keys(file: try TextFile.read(path))
        } catch S3Keys.Trouble.missing {
            throw ValidationError(
                "--files needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which are not in \(place)")
        } catch S3Keys.Trouble.malformed {
            throw ValidationError("--files: the keys in \(place) are no keys of an S3 store")
        } catch {
            throw ValidationError("--files-keys \(place): \(error)")
        }
    }
}

/// A store on the command line.
struct S3Argument: Hashable, Sendable, ExpressibleByArgument {
    let address: S3Address

    init?(argument: String) {
        guard let address = S3Address(argument), S3Settings.isReachable(address) else { return nil }
        self.address = address
    }

    static var valueName: String? { "URL" }
    static var expectation: String {
        "s3://BUCKET or s3://BUCKET/PREFIX, with endpoint=, region=, style=path|host and links=SECONDS behind a question mark"
    }
    var argumentDescription: String { "\(self.address)" }
}
