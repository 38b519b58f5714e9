/// Programs of Python, with the first interpreter that has a module.
package enum Python {
    package static func interpreter(with module: String) -> String? {
        ["python3", "/usr/bin/python3"].first { (try? run($0, ["-c", "import \(module)"]).status) == 0 }
    }
}
