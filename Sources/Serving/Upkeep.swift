internal import BinaryPrimitives

extension Service {
    /// Removes what killed processes have left of uploads, and results whose time is over. A server
    /// does it when it starts, and every hour.
    package func tidyUp() {
        if let store = settings.uploadStore { WorkFolder.removeAbandoned(in: store) }
        if let folder = settings.shareFolder { SharedResults(folder: folder, limits: limits).sweep() }
    }
}
