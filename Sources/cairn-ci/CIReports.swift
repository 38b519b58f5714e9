internal import BinaryPrimitives
internal import Console
internal import TestReports

/// What a run leaves behind, each for its reader.
struct CIReports {
    private let options: ReportOptions
    private let service: CIService?

    init(options: ReportOptions, service: CIService?) {
        self.options = options
        self.service = service
    }

    func leave(_ failures: [Failure]) {
        if options.annotations == .github || options.annotations == .auto && service == .gitHub {
            print(GitHubAnnotations().render(failures))
        }
    }

    /// After all output of the command.
    private func print(_ bytes: [UInt8]) {
        if !bytes.isEmpty { try? FileDescriptor.write(bytes, to: 1) }
    }
}
