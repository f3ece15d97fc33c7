internal import Conversing

/// What programs call the types of messages, and what they are here.
enum RongCloudType {
    static let prefix = "RC:"
    static let text = "RC:TxtMsg"
    static let image = "RC:ImgMsg"
    static let gif = "RC:GIFMsg"
    static let shortVoice = "RC:VcMsg"
    static let voice = "RC:HQVCMsg"
    static let video = "RC:SightMsg"
    static let file = "RC:FileMsg"
    static let location = "RC:LBSMsg"
    static let article = "RC:ImgTextMsg"
    static let combined = "RC:CombineMsg"
    static let reference = "RC:ReferenceMsg"
    static let information = "RC:InfoNtf"
    static let group = "RC:GrpNtf"
    static let recall = "RC:RcCmd"
    static let typing = "RC:TypSts"
    static let roomEntry = "RC:chrmKVNotiMsg"
    static let expansion = "RC:MsgExMsg"

    /// Those that people read: devices are woken for them, and they wait for those who have not read them.
    private static let readByPeople: Set<String> = [
        Self.text, Self.image, Self.gif, Self.shortVoice, Self.voice, Self.video, Self.file, Self.location,
        Self.article,
        Self.combined, Self.reference,
    ]

    static func isBuiltIn(_ name: String) -> Bool { name.hasPrefix(self.prefix) }
    static func wakes(_ name: String) -> Bool { self.readByPeople.contains(name) }
    /// An app's own type counts; of those that RongCloud names, what programs tell each other does not.
    static func counts(_ name: String) -> Bool { !self.isBuiltIn(name) || self.readByPeople.contains(name) }

    /// Where the content of a type that shows a file has its address, and as what it is shown.
    static func media(_ name: String) -> (kind: MessageKind, address: String)? {
        switch name {
        case self.image: (.image, "imageUri")
        case self.gif: (.image, "remoteUrl")
        case self.shortVoice, self.voice: (.voice, "remoteUrl")
        case self.video: (.video, "sightUrl")
        case self.file: (.file, "fileUrl")
        default: nil
        }
    }

    /// Those whose file is in the message itself, as Base64: a small picture, or a voice.
    static func holdsFile(_ name: String) -> Bool { name == self.image || name == self.shortVoice }
}
