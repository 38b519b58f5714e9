/// Which reports of a store are looked at: those of one program, of one version, or all.
package struct ReportFilter: Sendable, Hashable {
    package var process: String?
    package var version: String?

    package init(process: String? = nil, version: String? = nil) {
        self.process = process
        self.version = version
    }

    package var isEmpty: Bool { process == nil && version == nil }
}
