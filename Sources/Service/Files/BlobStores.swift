internal import Files
internal import Journal
internal import Reactor

extension ServiceConfiguration {
    /// The one place that knows which store there is.
    func makeBlobs(
        _ folder: FileFolder, _ bench: Workbench, on group: EventLoopGroup, _ health: Health, _ journal: Journal
    ) -> any BlobStore {
        guard let settings = self.files.store else { return FolderStore(folder, bench) }
        let loop = group.background ?? group.loops[0]
        let watch = S3Watch(health, journal)
        guard let client = S3Client(settings, observe: { watch.heard($0, from: settings.address) }) else {
            preconditionFailure("options are read before")
        }
        watch.begin(with: client, on: loop)
        return S3Store(
            settings, client, on: loop, folder, bench, hasOthers: self.store != nil, journal)
    }
}
