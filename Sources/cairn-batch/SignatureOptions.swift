internal import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Reporting
internal import TestReports

/// What signatures are made by.
struct SignatureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A list of functions that say nothing about bugs; it takes the place of cairn's own list that is called like the file (cairn batch lists), or adds to them. May be repeated.",
            valueName: "file"))
    var frameList: [String] = []

    @Option(
        help: ArgumentHelp(
            "What is the user's own code: a folder of sources, or an image's name. May be repeated; ownCode in .cairn.json adds more.",
            valueName: "path"))
    var ownCode: [String] = []

    @Option(help: ArgumentHelp("What is not the user's own code, in the same way. The longer one wins.", valueName: "path"))
    var notOwnCode: [String] = []

    /// `nil` where a list cannot be used, which is told.
    var rules: SignatureRules? {
        var lists: [FrameList] = []
        for path in frameList {
            do throws(FileError) {
                let bytes = try readInput(path)
                let name = Path.name(of: path)
                let list = FrameList(name: name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name, text: bytes.span)
                for problem in list.problems { complain("\(path): \(problem.description)") }
                guard list.problems.isEmpty else { return nil }
                lists.append(list)
            } catch {
                complain(error.description)
                return nil
            }
        }
        let own = OwnCodeRule(own: ownCode + (SettingsInForce.current.settings.ownCode ?? []), notOwn: notOwnCode)
        return SignatureRules(lists: FrameLists.standard.adding(lists), ownCode: own)
    }
}
