internal import BinaryPrimitives
internal import Reporting

/// Reads the bytes as function names, a line each, by every language's rules, and as a frame list.
#if FUZZING
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    let list = FrameList(name: "own", text: bytes.span)
    _ = FrameLists([list])
    var rest = bytes.span
    var lines = 0
    while lines < 16, let line = rest.readLine() {
        lines += 1
        let name = line.text
        for (file, format) in [
            ("a.cpp", ""), ("a.rs", ""), ("a.swift", ""), ("a.go", ""), ("a.java", ""), ("a.js", ""), ("a.py", ""), ("a.m", "apple-crash"),
            ("", "go-panic"), ("", "jvm-hserr"),
        ] {
            let made = NormalizedName(name, mangled: name, file: file.isEmpty ? nil : file, format: format)
            precondition(made.text.utf8.count <= NormalizedName.maxBytes * 3, "a name grew")
            precondition(
                made.text == NormalizedName(name, mangled: name, file: file.isEmpty ? nil : file, format: format).text,
                "two answers for one name")
        }
    }
    return 0
}
