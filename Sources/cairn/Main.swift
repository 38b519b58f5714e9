internal import CairnCommands

@main struct Main {
    static func main() { Cairn.main() }
}
