internal import BinaryPrimitives

/// The service that runs the command, as its environment shows.
enum CIService: Sendable {
    case gitHub, gitLab, buildkite, jenkins

    /// - Returns: `nil` outside of these services.
    init?(environment: (String) -> String? = environmentVariable) {
        func isSet(_ name: String) -> Bool { environment(name).map { !$0.isEmpty && $0 != "false" } ?? false }
        // Each service's own documentation names its variable as the one to detect it by.
        if isSet("GITHUB_ACTIONS") {
            self = .gitHub
        } else if isSet("GITLAB_CI") {
            self = .gitLab
        } else if isSet("BUILDKITE") {
            self = .buildkite
        } else if isSet("JENKINS_URL") {
            self = .jenkins
        } else {
            return nil
        }
    }
}
