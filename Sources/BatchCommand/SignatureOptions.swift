internal import ArgumentParser
internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Reporting
internal import TestReports

/// Options for the rules of signatures.
struct SignatureOptions: ParsableArguments {
    @Option(
        name: .of(.frameList),
        help: ArgumentHelp(
            "List of functions that do not distinguish bugs. It replaces the built-in list with the name of the file (see cairn batch lists), or adds a list. Repeatable.",
            valueName: "file"))
    var frameList: [String] = []

    @Option(
        name: .of(.ownCode),
        help: ArgumentHelp(
            "Treat this source directory or image as your code. Repeatable; adds to ownCode in .cairn.json.",
            valueName: "path"))
    var ownCode: [String] = []

    @Option(
        name: .of(.notOwnCode),
        help: ArgumentHelp("Do not treat this source directory or image as your code. The longer one wins.", valueName: "path"))
    var notOwnCode: [String] = []

    init() {}

    init(_ scan: inout ArgumentScan) {
        frameList = scan.values(.frameList)
        ownCode = scan.values(.ownCode)
        notOwnCode = scan.values(.notOwnCode)
    }

    /// `nil` where a list cannot be used. The problem is printed then.
    var rules: SignatureRules? {
        var lists: [FrameList] = []
        for path in frameList {
            do throws(FileError) {
                let bytes = try readInput(path)
                let name = Path.name(of: path)
                let list = FrameList(name: name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name, text: bytes.span)
                for problem in list.problems { printDiagnostic("\(path): \(problem.description)") }
                guard list.problems.isEmpty else { return nil }
                lists.append(list)
            } catch {
                printDiagnostic(error.description)
                return nil
            }
        }
        let own = OwnCodeRule(own: ownCode + (ActiveSettings.current.settings.ownCode ?? []), notOwn: notOwnCode)
        return SignatureRules(lists: FrameLists.standard.adding(lists), ownCode: own)
    }
}
