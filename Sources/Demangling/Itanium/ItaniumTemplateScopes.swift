/// Meaning of `T_`, `T0_`, `TL0__` and so on at a position in a C++ name: level 0 is the arguments
/// of the innermost function or variable, further levels are the parameters of the generic lambdas
/// around the position.
///
/// All levels share one stack, because a level that is opened inside another is closed before the
/// outer one grows again.
struct ItaniumTemplateScopes {
    typealias ID = ItaniumTree.ID

    private var parameters: [ID] = []
    private var levels: [Level] = []
    /// The levels of the current encoding begin here.
    private var base = 0
    private var baseParameters = 0
    /// Distinguishes level 0's arguments from those at every other position.
    private(set) var number = 0
    /// Identifies the encoding.
    private(set) var encoding = 0
    private var lastNumber = 0

    private struct Level {
        var start: Int
        var count: Int
        /// `auto` was met in a lambda without a parameter list: there is a level, and nothing in it
        /// can be looked up.
        static let unlisted = Level(start: 0, count: -1)
    }

    /// State that `close` restores.
    struct Mark {
        fileprivate var levels: Int
        fileprivate var parameters: Int
        fileprivate var base: Int
        fileprivate var baseParameters: Int
        fileprivate var number: Int
        fileprivate var encoding: Int
    }

    var levelCount: Int { levels.count &- base }

    /// Begins an encoding, which sees nothing of the one around it.
    mutating func open() -> Mark {
        let mark = self.mark
        base = levels.count
        baseParameters = parameters.count
        renew()
        encoding = number
        return mark
    }

    /// Ends an encoding.
    mutating func close(_ mark: Mark) {
        levels.removeLast(max(0, levels.count - mark.levels))
        parameters.removeLast(max(0, parameters.count - mark.parameters))
        base = mark.base
        baseParameters = mark.baseParameters
        number = mark.number
        encoding = mark.encoding
    }

    private var mark: Mark {
        Mark(
            levels: levels.count, parameters: parameters.count, base: base, baseParameters: baseParameters, number: number,
            encoding: encoding)
    }

    private mutating func renew() {
        lastNumber &+= 1
        number = lastNumber
    }

    /// Forgets all levels: `T_` means the innermost arguments.
    mutating func clear() {
        levels.removeLast(levelCount)
        renew()
    }

    /// Begins the argument list of the encoding's own name, which replaces those before.
    mutating func beginArguments() {
        clear()
        parameters.removeLast(parameters.count - baseParameters)
        levels.append(Level(start: parameters.count, count: 0))
    }

    /// Adds an argument to level 0.
    mutating func addArgument(_ argument: ID) {
        guard levels.count > base else { return }
        parameters.append(argument)
        levels[base].count += 1
    }

    /// Begins a lambda's or template template parameter's own parameters.
    mutating func beginParameters() -> Mark {
        let mark = self.mark
        levels.append(Level(start: parameters.count, count: 0))
        return mark
    }

    /// Adds a parameter to the level that `mark` began.
    mutating func addParameter(_ parameter: ID, to mark: Mark) {
        guard mark.levels < levels.count else { return }
        parameters.append(parameter)
        levels[mark.levels].count += 1
    }

    /// Takes back the level that `mark` began, because nothing was in it.
    mutating func dropLevel(_ mark: Mark) { levels.removeLast(max(0, levels.count - mark.levels)) }

    /// Makes a level for the `auto` parameters of a lambda.
    mutating func addUnlistedLevel() { levels.append(.unlisted) }

    /// The parameter or argument; `nil` if it does not exist.
    func parameter(level: Int, index: Int) -> ID? {
        guard level < levelCount, case let found = levels[base &+ level], index < found.count else { return nil }
        return parameters[found.start &+ index]
    }
}
