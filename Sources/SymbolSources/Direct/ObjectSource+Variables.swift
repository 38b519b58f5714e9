public import BinaryPrimitives
public import DWARF

extension ObjectSource {
    /// Where the variable that holds an address is declared; `nil` where the debug information does not tell.
    /// - Parameter asLLVM: files in a form that LLVM does not read are empty.
    public func declaration(ofVariableAt address: LinkAddress, asLLVM: Bool = false) -> SourceLocation? {
        for object in objects {
            guard let reader = DWARFReader(object, places.split),
                let variable = reader.staticVariables(at: [address.value]).first ?? nil,
                let file = variable.file
            else { continue }
            return SourceLocation(file: asLLVM && variable.isFileImplicit ? "" : file.path, line: variable.line)
        }
        return nil
    }

    /// What is wrong with the files' address tables; answers do not depend on it.
    public func addressTableFlaws() -> [String] { objects.flatMap { DWARFReader.addressTableFlaws(of: $0) } }

    /// The variables of the innermost function at an address, with those of what was inlined into it; empty where the debug information does not tell.
    public func locals(at address: LinkAddress) -> [LocalVariable] {
        for object in objects {
            let locals = DWARFReader(object, places.split)?.locals(at: address.value) ?? []
            if !locals.isEmpty { return locals }
        }
        return []
    }
}
