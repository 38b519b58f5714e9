/// Goes from a frame to its caller by the `STACK` lines of a Breakpad symbol file.
struct BreakpadStep {
    let registers: Registers
    let memory: Memory

    private var processor: Processor { registers.processor }

    /// Applies the rules of `STACK CFI`. Registers without a rule keep their values.
    func caller(by rules: [String: [String]]) -> CallerStep {
        var program = PostfixProgram(registers, memory)
        guard let frameRule = rules[".cfa"], let frame = program.value(of: frameRule) else {
            return program.missing.map { .missingMemory($0) } ?? .failed
        }
        program.variables[".cfa"] = frame
        guard let addressRule = rules[".ra"] else { return .failed }
        if addressRule == [".undef"] { return .outermost }
        guard let address = program.value(of: addressRule) else { return program.missing.map { .missingMemory($0) } ?? .failed }
        var caller = registers
        caller.stackPointer = frame
        for (name, rule) in rules where name != ".cfa" && name != ".ra" {
            guard let number = processor.number(of: name.hasPrefix("$") ? String(name.dropFirst()) : name) else { continue }
            caller[number] = rule == [".undef"] ? nil : program.value(of: rule)
        }
        guard caller[processor.stackPointer] != nil else { return .failed }
        caller.programCounter = processor.cut(address)
        return .caller(caller, isExact: false)
    }

    /// Applies `STACK WIN`.
    /// - Parameter calleeParameters: bytes that this frame pushed for the one it called.
    func caller(by frame: BreakpadWindowsFrame, calleeParameters: UInt64) -> CallerStep {
        var program = PostfixProgram(registers, memory)
        program.variables = [
            ".cbCalleeParams": calleeParameters, ".cbSavedRegs": frame.savedRegisters, ".cbLocals": frame.locals,
            ".cbParams": frame.parameters,
            ".raSearchStart": processor.cut(registers.stackPointer &+ calleeParameters &+ frame.locals &+ frame.savedRegisters),
        ]
        program.variables[".raSearch"] = program.variables[".raSearchStart"]
        for name in ["$eip", "$esp", "$ebp", "$ebx", "$esi", "$edi"] {
            program.variables[name] = registers[name: String(name.dropFirst())]
        }
        guard program.run(frame.program) else { return program.missing.map { .missingMemory($0) } ?? .failed }
        var caller = registers
        for name in ["$esp", "$ebp", "$ebx", "$esi", "$edi"] { caller[name: String(name.dropFirst())] = program.variables[name] }
        guard let counter = program.variables["$eip"], counter != registers.programCounter else { return .failed }
        caller.programCounter = counter
        return .caller(caller, isExact: false)
    }
}
