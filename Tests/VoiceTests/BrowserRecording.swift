import Bytes

/// Half a second of 440 Hz as Chromium 156 records it: `MediaRecorder` with `audio/webm;codecs=opus`.
enum BrowserRecording {
    static func bytes() throws -> [UInt8] {
        try Base64.decode(self.text.filter { !$0.isWhitespace })
    }

    private static let text = """
        GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZwH/////////FUmpZpkq17GDD0JATYCGQ2hyb21lV0GGQ2hy
        b21lFlSua7+uvdeBAXPFh3Vms1FBMOqDgQKGhkFfT1BVU2Oik09wdXNIZWFkAQEAAIC7AAAAAADhjbWERzuAAJ+BAWJkgSAfQ7Z1
        Af/////////ngQCjsIEAAIAY4Qn3uPCIG4R9zQ7obd6k2X37ttP93dX55qEoq7ELuKMAC0tAAIgYOtXhUKOygQA9gBjplpQehHT2
        H2rj+MGSE3xzG+g1LX6CQJJu859E3/hXkj+7ewgfAv+cpWX+Fsyjr4EAeIAY6ZaUHoR09rYvpXw9LeMYf/Uig3/kPptYsIM0N00v
        2oWZgfoEG3+A2eLMo6+BALWAGOmWlB6EdPavwlXI1X7ro9sD63Cm87YRL6z3QMZ5NikEMk8pmJaeqvqKgKOygQDwgBjplpQehHT2
        r8JvtqkqQvvFYD+PI3t1kzr7i6g7ZVneOQNx8P01+ylMhuCdUTYfQ7Z1Af/////////nggEto7GBAACAGOnz0r/7kBq+X0F9wnLs
        hgY5UxHICfwGbitUziUwosCoaxfq3FoKWibaJ/yAo7SBADuAGOnwmMBYL3o63rMeBy7SoqRwO1ZhvYdrXwnhZ/bl/bOfgrflTd+T
        s0XrdyYgiXWgo7OBAHmAGOnz0r/7kBtoySEQsd7C4RrmTX/ekQGeInUiuFbUrz0heyGH0x3X8g3gz/ADOymjt4EAs4AY6mCCQngb
        78Zv9KMDG/gDowaEFXQxWZ0bP+Sq7JYFop+l9S0y84wrQ9GC+X+nrXTfYYijtoEA8YAY6mPt8sE04oVd4l5/vki4XkKbCIrBYM6M
        zh6C+3Y/52nLof9+cLiC5bSZHujaMBYngA==
        """
}
