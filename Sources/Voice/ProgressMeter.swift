import SoundFiles

/// Turns places in a file into steps for a listener.
struct ProgressMeter {
    private let file: InputFile
    private let listener: ProgressListener?
    /// The file is read so many times.
    private let passes: Int
    private var lastPosition = 0

    init(_ file: InputFile, passes: Int = 1, listener: ProgressListener?) {
        self.file = file
        self.passes = passes
        self.listener = listener
    }

    mutating func soundPassed(_ samples: Int, rate: Int) {
        guard let listener = self.listener else { return }
        let position = self.file.position ?? self.lastPosition
        let step = max(0, position - self.lastPosition)
        self.lastPosition = position
        listener(Progress(bytes: step / self.passes, seconds: Double(samples) / Double(rate)))
    }
}
