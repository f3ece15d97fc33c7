internal import Files
internal import Journal
internal import Reactor
internal import Keeping
internal import Vocabulary

/// Sweeps out files that are not shown, uploads that took too long, and contents that a crash left behind, a portion at a
/// time.
final class FileKeeper {
    private let desk: FileService
    private let reactor: Reactor
    private var nextFolder = 0

    private static let portion = 200
    /// Of the folders with contents; all of them are looked through in some hours.
    private static let foldersAtOnce = 32

    init(_ desk: FileService, on reactor: Reactor) {
        self.desk = desk
        self.reactor = reactor
    }

    func sweep() {
        // Another sweep does what this one would.
        let (blobs, folder, life) = (self.desk.blobs, self.desk.folder, self.desk.settings.uploadLife)
        guard blobs.beginSweep() else { return }
        self.reactor.offload({
            // Another node that has swept knows of the rows alone, and not of this disk.
            folder.removeUploads(untouchedFor: life)
            blobs.removeLeftovers()
        }) { self.sweepRows() }
    }

    private func sweepRows() {
        let (now, folder, blobs) = (SystemClock.now(), self.desk.folder, self.desk.blobs)
        let unusedSince = now + (.zero - self.desk.settings.unusedLife)
        self.desk.store.send(
            SweepFiles(at: now, unusedSince: unusedSince, limit: Self.portion),
            self.reactor.returning { result in
                guard let swept = self.taken(result) else { return blobs.endSweep() }
                self.reactor.offload({
                    for upload in swept.uploads { folder.removeUpload(upload) }
                    return blobs.remove(swept.contents)
                }) { count in
                    self.note(count)
                    if swept.hasMore { self.sweepRows() } else { self.sweepFolders(Self.foldersAtOnce) }
                }
            })
    }

    /// Unknown contents: the server ended between keeping them and telling the store.
    private func sweepFolders(_ left: Int) {
        let (number, blobs) = (self.nextFolder, self.desk.blobs)
        guard left > 0 else { return blobs.endSweep() }
        self.nextFolder = (number + 1) % FileFolder.folders
        self.reactor.offload({ blobs.contents(ofFolder: number) }) { contents in
            guard !contents.isEmpty else { return self.sweepFolders(left - 1) }
            self.desk.store.send(
                FindUnknownContents(among: contents),
                self.reactor.returning { result in
                    guard let unknown = self.taken(result) else { return blobs.endSweep() }
                    self.reactor.offload({ blobs.remove(unknown) }) { count in
                        self.note(count)
                        self.sweepFolders(left - 1)
                    }
                })
        }
    }

    private func taken<Value>(_ result: Result<Value, StoreError>) -> Value? {
        switch result {
        case .success(let value): return value
        case .failure(let error):
            self.desk.journal.error(.filesNotSwept, "old files could not be swept out", [.error: .error(error)])
            return nil
        }
    }

    private func note(_ count: Int) {
        guard count > 0 else { return }
        self.desk.journal.debug(.filesSwept, "unused contents were removed", [.count: .integer(count)])
    }
}

extension LogName {
    static let filesSwept = LogName("files.swept")
    static let filesNotSwept = LogName("files.not_swept")
}
