package import FileTypes

/// What is made of a file to show before it is fetched.
package enum FilePreview: Hashable, Sendable {
    /// Of a small picture that lies beside the large one.
    case thumbnail(PictureSize)
    case outline(SoundOutline)
}

extension FileRecord {
    package mutating func add(_ preview: FilePreview?) {
        switch preview {
        case .thumbnail(let size): self.thumbnail = size
        case .outline(let outline): self.outline = outline
        case nil: break
        }
    }
}
