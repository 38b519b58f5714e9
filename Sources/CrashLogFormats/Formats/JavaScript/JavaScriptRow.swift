internal import BinaryPrimitives
internal import CrashLogModel

/// A row of a stack of JavaScript, of either engine's.
///
/// V8 (`SerializeJSStackFrame` of `src/objects/call-site-info.cc`):
///
///     at load (/srv/mail.js:1:46)
///     at async Object.run [as handler] (file:///srv/mail.mjs:3:27)
///     at /srv/mail.js:3:28                                            a function without a name
///     at JSON.parse (<anonymous>)                                     (native), (index 0)
///     at eval (eval at load (/srv/mail.js:1:1), <anonymous>:1:7) {    properties of the error follow
///     at app.wasm.share (wasm://wasm/app.wasm-00087f1e:wasm-function[8]:0x260)
///     at wasm://wasm/000701ca:wasm-function[27]:0x56a9
///     at share (/src/app.c:12:12, wasm://wasm/app.wasm-00087f1e:wasm-function[8]:0x260)      with this package's result
///
/// SpiderMonkey (Firefox), and JavaScriptCore (Safari), which gives no position in WebAssembly:
///
///     share@https://app.example/app.wasm:wasm-function[8]:0x260
///     run@https://app.example/app.js:10:5
///     <?>.wasm-function[9]@[wasm code]
///     share@/src/app.c:12:12 (https://app.example/app.wasm:wasm-function[8]:0x260)           with this package's result
///     failed: RuntimeError: unreachable,share@https://app.example/app.wasm:wasm-function[8]:0x260      an error and its stack, joined
struct JavaScriptRow {
    /// The function's name, counted in the row; `nil` if it has none.
    var name: Range<Int>?
    /// Where the source's path begins in the row.
    var locationStart: Int?
    var symbol = PrintedSymbol()
    /// The position, in a row of WebAssembly.
    var position: WasmPosition?
    var isInlined = false
    /// In such a row, counted in it: the text that a result replaces, from the function's name to the end, and the position in it,
    /// which stays.
    var replaced = 0..<0
    var kept = 0..<0
    var opensBraces = false
    /// The error is an element of a list or a property before others: `,` follows.
    var endsElement = false
    private var isV8 = true

    /// - Parameter text: the row without blanks around it.
    init?(_ text: Span<UInt8>) {
        if text.hasPrefix("at ") {
            guard readV8(text) else { return nil }
        } else {
            isV8 = false
            guard readSpiderMonkey(text) else { return nil }
        }
        if let name, symbol.name == nil { symbol.name = text.clamped(to: name).text }
    }

    // MARK: V8

    private mutating func readV8(_ text: Span<UInt8>) -> Bool {
        let start = 3
        var rest = text.from(start)
        opensBraces = rest.consumeSuffix(" {")
        if !opensBraces { endsElement = rest.consumeSuffix(",") }
        if readWasm(rest, at: start) { return true }
        if rest.hasSuffix(")"), let open = rest.firstRange(of: " (") {
            name = start..<start + open.lowerBound
            let source = rest.clamped(to: open.upperBound..<rest.count - 1)
            if setLocation(source, at: start + open.upperBound) { return true }
            // V8's own functions are in no file.
            guard source.equals("<anonymous>") || source.equals("native") || source.hasPrefix("index ") else { return false }
            symbol.location = SourceLocation(file: "<anonymous>", line: 0)
            return true
        }
        // `async` is no name.
        _ = rest.consume("async ")
        symbol.name = "<anonymous>"
        return setLocation(rest, at: text.count - rest.count)
    }

    /// Reads a row of WebAssembly, without `at `.
    /// - Parameter start: where it begins.
    private mutating func readWasm(_ row: Span<UInt8>, at start: Int) -> Bool {
        guard WasmPosition.mayBeIn(row) else { return false }
        var source = 0..<row.count
        var name: Range<Int>?
        // Names of C++ have parentheses, too: `std::function<void (int)>::operator()(int) const`.
        if row.hasSuffix(")"), let open = row.lastRange(of: " (") {
            (name, source) = (0..<open.lowerBound, open.upperBound..<row.count - 1)
        }
        if let comma = row.clamped(to: source).lastRange(of: ", "),
            setResult(row.clamped(to: source.lowerBound..<source.lowerBound + comma.lowerBound), at: start + source.lowerBound)
        {
            source = source.lowerBound + comma.upperBound..<source.upperBound
        }
        guard let position = WasmPosition(row.clamped(to: source)) else {
            (symbol, locationStart) = (PrintedSymbol(), nil)
            return false
        }
        self.position = position
        if var name {
            // Below "Thrown at:", names are those of the text format, which begin with a sign.
            if position.function == nil, row.at(name.lowerBound) == UInt8(ascii: "$") { name = name.lowerBound + 1..<name.upperBound }
            setName(name, in: row, at: start)
        }
        replaced = start..<start + row.count
        kept = start + source.lowerBound..<start + source.upperBound
        return true
    }

    // MARK: SpiderMonkey

    private mutating func readSpiderMonkey(_ text: Span<UInt8>) -> Bool {
        guard let at = text.firstIndex(of: UInt8(ascii: "@")) else { return false }
        guard WasmPosition.mayBeIn(text) else { return readScript(text, at) }
        var start = 0
        if let error = text.upTo(at).firstRange(of: "Error: ") {
            // The error and its stack are joined by a comma.
            var comma = error.upperBound
            while comma < at, text[comma] != UInt8(ascii: ",") || text.at(comma + 1).map(isBlank) ?? true { comma += 1 }
            start = min(comma + 1, at)
        }
        var source = at + 1..<text.count
        if text.hasSuffix(")"), let open = text.lastRange(of: " ("), open.lowerBound > at,
            setResult(text.clamped(to: at + 1..<open.lowerBound), at: at + 1)
        {
            source = open.upperBound..<text.count - 1
        }
        // The console puts blanks around the sign.
        source = source.trimmed(in: text)
        guard let position = WasmPosition(text.clamped(to: source)) else { return readScript(text, at) }
        self.position = position
        var name = (start..<at).trimmed(in: text)
        if position.function == nil, text.at(name.lowerBound) == UInt8(ascii: "$") { name = name.lowerBound + 1..<name.upperBound }
        if !name.isEmpty, !text.clamped(to: name).hasPrefix("wasm-function[") { setName(name, in: text, at: 0) }
        (replaced, kept) = (start..<text.count, source)
        return true
    }

    /// `run@https://app.example/app.js:10:5`, `@debugger eval code:1:1`, `<?>.wasm-function[9]@[wasm code]`, `wasm-stub@[wasm code]`
    private mutating func readScript(_ text: Span<UInt8>, _ at: Int) -> Bool {
        guard text.firstIndex(of: UInt8(ascii: " ")).map({ $0 > at }) ?? true else { return false }
        if at > 0 { name = 0..<at }
        let source = text.from(at + 1)
        if source.equals("[wasm code]") || source.equals("[native code]") { return true }
        guard source.contains("/") || source.hasPrefix("debugger eval"), let location = SourceLocationText.read(source), location.column > 0
        else {
            return false
        }
        (symbol.location, locationStart) = (location, at + 1)
        return true
    }

    // MARK: Parts

    private mutating func setName(_ name: Range<Int>, in row: Span<UInt8>, at start: Int) {
        isInlined = row.clamped(to: name).hasSuffix(RowResult.inlined)
        let end = name.upperBound - (isInlined ? RowResult.inlined.utf8.count : 0)
        self.name = start + name.lowerBound..<start + end
    }

    /// The source location of this package's result.
    private mutating func setResult(_ text: Span<UInt8>, at start: Int) -> Bool {
        guard let location = SourceLocationText.read(text) else { return false }
        (symbol.location, locationStart) = (location, start)
        return true
    }

    /// File, line and column: a row of Java has no column.
    private mutating func setLocation(_ text: Span<UInt8>, at start: Int) -> Bool {
        var rest = text
        // Code that was made at run time has its own file and line behind where that was.
        if rest.hasPrefix("eval at "), let comma = rest.lastRange(of: ", ") { rest = rest.from(comma.upperBound) }
        _ = rest.consume("file://")
        guard let location = SourceLocationText.read(rest), location.column > 0 else { return false }
        (symbol.location, locationStart) = (location, start + text.count - rest.count)
        return true
    }

    // MARK: Results

    /// The row with a result: the function and its source come before the position.
    static func result(_ text: Span<UInt8>, _ result: FrameResult) -> RowResult? {
        guard let row = JavaScriptRow(text), row.position != nil else { return nil }
        return RowResult(
            range: row.replaced, keeping: row.kept,
            functions: result.functions.map { function in
                let name = RowResult.name(function)
                let location = function.location.map { SourceLocationText.text($0, withColumn: true) }
                guard row.isV8 else { return location.map { (name + "@" + $0 + " (", ")") } ?? (name + "@", "") }
                return (name + " (" + (location.map { $0 + ", " } ?? ""), ")")
            })
    }

    /// `... 5 lines matching cause stack trace ...`
    static func shared(_ text: Span<UInt8>) -> Int? {
        var rest = text
        guard rest.consume("... "), let count = rest.readDecimal(), rest.hasPrefix(" lines matching cause stack trace ...") else {
            return nil
        }
        return Int(exactly: count)
    }
}
