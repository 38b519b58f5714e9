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

/// Value that a template is filled with.
package enum TemplateValue: Sendable {
    case text(String)
    case boolean(Bool)
    case list([TemplateValue])
    case object([String: TemplateValue])

    /// Strings, numbers, truth values, arrays and dictionaries of them, and optionals of these;
    /// `nil` for anything else.
    package init?(_ value: Any) {
        switch value {
        case let value as TemplateValue: self = value
        case let text as String: self = .text(text)
        case let number as Int: self = .text(String(number))
        case let boolean as Bool: self = .boolean(boolean)
        case let members as [String: Any]: self = .object(members.compactMapValues { TemplateValue($0) })
        case let elements as [Any]: self = .list(elements.compactMap { TemplateValue($0) })
        case Optional<Any>.some(let wrapped): self.init(wrapped, isWrapped: true)
        default: return nil
        }
    }

    private init?(_ value: Any, isWrapped: Bool) {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional, let inner = mirror.children.first?.value else { return nil }
        self.init(inner)
    }
}
