import BinaryPrimitives
import CrashLogModel
import Reporting
import Testing

/// Whose a library is, by its file's name.
struct OwnCodeImageTests {
    /// rustc names its shared standard library `libstd-HASH.so` (`-C prefer-dynamic`); the C++
    /// library begins with the same letters.
    @Test(arguments: [
        ("libstd-d1237ef7159db0a2.so", "Rust’s standard library"), ("libstdc++.so.6.0.30", "the C++ library"),
        ("libswiftCore.so", "Swift’s runtime"), ("libstdx.so", nil), ("stdlib-tools", nil), ("harbor", nil),
    ])
    func `libraries of languages are nobody's own`(name: String, owner: String?) {
        let reason = OwnCodeRule().foreign(image: BinaryImage(name: name, path: "/opt/app/\(name)"))
        #expect(reason == owner.map { "\(name) is \($0)" })
    }
}
