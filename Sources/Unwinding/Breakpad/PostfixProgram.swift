/// Computes Breakpad's expressions: postfix, of registers, numbers and memory (`^`).
///
/// For example, `.cfa -8 + ^` is the number in memory 8 bytes below `.cfa`. Arithmetic wraps as in the
/// processor's registers; `@` rounds down to a multiple.
struct PostfixProgram {
    let processor: Processor
    let memory: Memory
    /// Variables by name: `.cfa`, and those of a program (`$T0`).
    var variables: [String: UInt64] = [:]
    let registers: Registers
    /// Address of the memory that was needed and not saved.
    private(set) var missing: UInt64?

    private static let maxTokens = 1_000

    init(_ registers: Registers, _ memory: Memory) {
        processor = registers.processor
        self.registers = registers
        self.memory = memory
    }

    /// - Returns: `nil` if a name or memory is not known, or the expression is damaged.
    mutating func value(of tokens: [String]) -> UInt64? {
        guard tokens.count <= Self.maxTokens else { return nil }
        var stack: [UInt64] = []
        for token in tokens {
            guard let value = step(token, &stack) else { return nil }
            stack.append(value)
        }
        return stack.count == 1 ? stack[0] : nil
    }

    /// Runs a program of assignments: `$T0 $ebp =`. Programs of Microsoft's compiler may have no blank after one:
    /// `$T0 $ebp 204 + =$eip $T0 4 + ^ =` (Breakpad, `src/processor/postfix_evaluator-inl.h`).
    /// - Returns: whether the whole program was run.
    mutating func run(_ tokens: [String]) -> Bool {
        guard tokens.count <= Self.maxTokens else { return false }
        var stack: [UInt64] = []
        var target: String?
        for token in tokens.flatMap({ $0.utf8.count > 1 && $0.hasPrefix("=") ? ["=", String($0.dropFirst())] : [$0] }) {
            if token == "=" {
                guard let name = target, let value = stack.popLast(), stack.isEmpty else { return false }
                variables[name] = value
                target = nil
            } else if target == nil {
                guard token.hasPrefix("$") || token.hasPrefix(".") else { return false }
                target = token
            } else {
                guard let value = step(token, &stack) else { return false }
                stack.append(value)
            }
        }
        return target == nil && stack.isEmpty
    }

    private mutating func step(_ token: String, _ stack: inout [UInt64]) -> UInt64? {
        switch token {
        case "+", "-", "*", "/", "%", "@":
            guard let right = stack.popLast(), let left = stack.popLast() else { return nil }
            return combined(token, left, right).map(processor.cut)
        case "^":
            guard let address = stack.popLast() else { return nil }
            guard let value = memory.read(address, size: processor.registerSize) else {
                missing = missing ?? address
                return nil
            }
            return value
        default:
            if let value = variables[token] { return value }
            if let number = Int64(token) { return processor.cut(UInt64(bitPattern: number)) }
            if let number = UInt64(token) { return processor.cut(number) }
            return registers[name: token.hasPrefix("$") ? String(token.dropFirst()) : token]
        }
    }

    private func combined(_ operation: String, _ left: UInt64, _ right: UInt64) -> UInt64? {
        switch operation {
        case "+": left &+ right
        case "-": left &- right
        case "*": left &* right
        case "/": right == 0 ? nil : left / right
        case "%": right == 0 ? nil : left % right
        default: right == 0 ? nil : left - left % right
        }
    }
}
