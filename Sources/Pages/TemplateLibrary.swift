/// Templates by name, which use each other.
package struct TemplateLibrary: Sendable {
    private let templates: [String: Template]
    private let escape: @Sendable (String) -> String

    /// Partials within partials: a template that names itself ends.
    private static let depth = 32

    /// - Parameter escape: makes a text harmless where it is written.
    package init(_ templates: [String: Template], escape: @escaping @Sendable (String) -> String) {
        self.templates = templates
        self.escape = escape
    }

    /// - Returns: the text in UTF-8; nothing where there is no such template.
    package func render(_ name: String, _ value: TemplateValue) -> [UInt8] {
        var output: [UInt8] = []
        guard let template = templates[name] else { return output }
        var rendering = Rendering(library: self, stack: [value])
        rendering.append(template.parts, to: &output)
        return output
    }

    private struct Rendering {
        let library: TemplateLibrary
        /// Values that names are looked up in, the innermost last.
        var stack: [TemplateValue]
        /// Blocks of the inheriting templates, the outermost first: the outermost block wins.
        var blocks: [[String: [Template.Part]]] = []
        var depth = 0

        mutating func append(_ parts: [Template.Part], to output: inout [UInt8]) {
            for part in parts {
                switch part {
                case .text(let text): output += text.utf8
                case .value(let name, let isEscaped):
                    guard case .text(let text)? = value(name) else { continue }
                    output += (isEscaped ? library.escape(text) : text).utf8
                case .section(let name, let inner, let isInverted): append(inner, of: value(name), isInverted: isInverted, to: &output)
                case .partial(let name): append(name, blocks: nil, to: &output)
                case .parent(let name, let own): append(name, blocks: own, to: &output)
                case .block(let name, let usual): append(blocks.lazy.compactMap { $0[name] }.first ?? usual, to: &output)
                }
            }
        }

        /// A list's elements one after another; an object, a text or the truth once.
        private mutating func append(_ parts: [Template.Part], of value: TemplateValue?, isInverted: Bool, to output: inout [UInt8]) {
            let elements: [TemplateValue]
            switch value {
            case nil, .boolean(false)?: elements = []
            case .list(let list)?: elements = list
            case .some(let one): elements = [one]
            }
            if isInverted {
                if elements.isEmpty { append(parts, to: &output) }
                return
            }
            for element in elements {
                stack.append(element)
                append(parts, to: &output)
                stack.removeLast()
            }
        }

        /// - Parameter own: the blocks of who inherits the template; `nil`: it is a partial.
        private mutating func append(_ name: String, blocks own: [String: [Template.Part]]?, to output: inout [UInt8]) {
            guard let template = library.templates[name], depth < TemplateLibrary.depth else { return }
            depth += 1
            defer { depth -= 1 }
            if let own { blocks.append(own) }
            append(template.parts, to: &output)
            if own != nil { blocks.removeLast() }
        }

        private func value(_ name: Template.Name) -> TemplateValue? {
            guard let first = name.keys.first else { return stack.last }
            var found: TemplateValue?
            for case .object(let members) in stack.reversed() {
                if let value = members[first] {
                    found = value
                    break
                }
            }
            for key in name.keys.dropFirst() {
                guard case .object(let members)? = found else { return nil }
                found = members[key]
            }
            return found
        }
    }
}
