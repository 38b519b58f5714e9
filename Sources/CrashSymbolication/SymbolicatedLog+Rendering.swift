public import Reporting

extension SymbolicatedLog {
    /// The log as a renderer writes it.
    /// - Parameters:
    ///   - renderer: `.same`, `.text`, `.json`, or one of your own.
    ///   - source: the log's bytes; only `.same` reads them.
    /// - Returns: the text in UTF-8.
    public func rendered(by renderer: some Renderer, source: [UInt8] = []) -> [UInt8] { renderer.render(self, source: source.span) }

    /// The log as a renderer writes it, as a string.
    /// - Parameters:
    ///   - renderer: `.same`, `.text`, `.json`, or one of your own.
    ///   - source: the log's bytes; only `.same` reads them. Bytes that are not UTF-8 become U+FFFD.
    public func renderedText(by renderer: some Renderer, source: [UInt8] = []) -> String {
        String(decoding: rendered(by: renderer, source: source), as: UTF8.self)
    }
}

extension Renderer where Self == SameRenderer {
    /// The input log, symbolicated in its own format; every other byte as it was.
    public static var same: SameRenderer { SameRenderer() }
}

extension Renderer where Self == TextRenderer {
    /// A readable report, digest first.
    public static var text: TextRenderer { TextRenderer() }
}

extension Renderer where Self == JSONRenderer {
    /// One JSON object for each trace.
    public static var json: JSONRenderer { JSONRenderer() }
}
