import BinaryPrimitives
import Demangling

/// Demangles names, one a line, as `c++filt` does: `DemangleNames [simplified|full|none] < NAMES`.
/// A name that stays mangled is given back as it is.
@main
struct DemangleNames {
    static func main() throws {
        let style = CommandLine.arguments.dropFirst().first.flatMap(Demangler.Style.init) ?? .simplified
        let demangler = Demangler(style: style)
        var output: [UInt8] = []
        for line in try FileDescriptor.readAll(from: 0).split(separator: UInt8(ascii: "\n")) {
            output += demangler.demangle(String(decoding: line, as: UTF8.self)).utf8
            output.append(UInt8(ascii: "\n"))
            if output.count > 1 << 16 {
                try FileDescriptor.write(output, to: 1)
                output.removeAll(keepingCapacity: true)
            }
        }
        try FileDescriptor.write(output, to: 1)
    }
}
