package import BinaryPrimitives
package import DWARF

extension ObjectSource {
    /// The variable that holds an address, if the debug information has the file that declares it.
    package func variable(at address: LinkAddress) -> StaticVariable? {
        for object in objects {
            if let variable = DWARFReader(object, options.split)?.staticVariables(at: [address.value]).first ?? nil, variable.file != nil {
                return variable
            }
        }
        return nil
    }

    /// Flaws of the files' address tables; results do not depend on them.
    package func addressTableFlaws() -> [String] { objects.flatMap { DWARFReader.addressTableFlaws(of: $0) } }

    /// The variables of the innermost function at an address, with those of functions inlined into
    /// it. Empty where the debug information has none.
    package func locals(at address: LinkAddress) -> [LocalVariable] {
        for object in objects {
            let locals = DWARFReader(object, options.split)?.locals(at: address.value) ?? []
            if !locals.isEmpty { return locals }
        }
        return []
    }
}
