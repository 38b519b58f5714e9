import TestSupport
import Testing

@testable import Pages

/// Mustache's language. Examples and results are those of its specification
/// (https://github.com/mustache/spec, version 1.4), or follow from its manual, mustache(5).
struct TemplateTests {
    private func render(_ template: String, _ value: [String: Any], _ others: [String: String] = [:]) throws -> String {
        var templates = ["": try Template(template)]
        for (name, text) in others { templates[name] = try Template(text) }
        let library = TemplateLibrary(templates) {
            $0.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
        }
        return String(decoding: library.render("", try #require(TemplateValue(value))), as: UTF8.self)
    }

    // MARK: Values

    @Test func `a value is escaped between two braces, and as it is between three`() throws {
        #expect(try render("Hello, {{subject}}!", ["subject": "world"]) == "Hello, world!")
        #expect(try render("{{forbidden}}", ["forbidden": "& \" <"]) == "&amp; &quot; &lt;")
        #expect(try render("{{{forbidden}}}", ["forbidden": "& \" <"]) == "& \" <")
        #expect(try render("{{mph}} miles", ["mph": 85]) == "85 miles")
        #expect(try render("I ({{cannot}}) be seen!", [:]) == "I () be seen!")
        #expect(try render("| {{ string }} |", ["string": "---"]) == "| --- |")
    }

    @Test func `a name with dots leads into objects`() throws {
        #expect(try render("{{person.name}}", ["person": ["name": "Joe"]]) == "Joe")
        #expect(try render("{{a.b.c}}|", ["a": ["b": [:] as [String: Any]]]) == "|")
        // The first part decides where the rest is looked for.
        #expect(try render("{{#a}}{{b.c}}{{/a}}", ["a": ["b": [:] as [String: Any]], "b": ["c": "ERROR"]]) == "")
        #expect(try render("{{#list}}({{.}}){{/list}}", ["list": ["a", "b"]]) == "(a)(b)")
    }

    @Test func `options are what is in them`() throws {
        let (some, none): (String?, String?) = ("there", nil)
        #expect(try render("{{some}}{{#none}}no{{/none}}", ["some": some as Any, "none": none as Any]) == "there")
    }

    // MARK: Sections

    @Test func `a section is there for what is true, and for each element`() throws {
        let text = "{{#x}}({{y}}){{/x}}{{^x}}-{{/x}}"
        #expect(try render(text, ["x": true, "y": "outer"]) == "(outer)")
        #expect(try render(text, ["x": false]) == "-")
        #expect(try render(text, [:]) == "-")
        #expect(try render(text, ["x": [] as [Any]]) == "-")
        #expect(try render(text, ["x": [["y": 1], ["y": 2]]]) == "(1)(2)")
        #expect(try render(text, ["x": ["y": "in it"]]) == "(in it)")
        #expect(try render("{{#x}}{{x}}{{/x}}", ["x": "text"]) == "text")
    }

    @Test func `names are looked up from the inside out`() throws {
        let value: [String: Any] = ["a": ["one": 1], "b": ["two": 2], "c": ["three": 3]]
        #expect(try render("{{#a}}{{one}}{{#b}}{{one}}{{two}}{{#c}}{{one}}{{two}}{{three}}{{/c}}{{/b}}{{/a}}", value) == "112123")
        #expect(try render("{{#a}}{{x}}{{/a}}", ["a": ["x": "inner"], "x": "outer"]) == "inner")
    }

    @Test func `a tag with a line to itself takes the line with it`() throws {
        #expect(try render("| This Is\n{{#boolean}}\n|\n{{/boolean}}\n| A Line\n", ["boolean": true]) == "| This Is\n|\n| A Line\n")
        #expect(try render("| This Is\n  {{#boolean}}\n|\n  {{/boolean}}\n| A Line", ["boolean": true]) == "| This Is\n|\n| A Line")
        #expect(try render("#{{#boolean}}\n/\n  {{/boolean}}", ["boolean": true]) == "#\n/\n")
        // Beside something else it does not.
        #expect(try render("{{#list}}{{.}}\n{{/list}}.", ["list": ["a", "b"]]) == "a\nb\n.")
        #expect(try render(" {{value}}\n", ["value": "a"]) == " a\n")
    }

    // MARK: Other templates

    @Test func `a partial sees the same values`() throws {
        #expect(try render("\"{{> text}}\"", ["text": "content"], ["text": "*{{text}}*"]) == "\"*content*\"")
        #expect(try render("({{> none}})", [:]) == "()")
    }

    @Test func `a partial may name itself, and ends where there is nothing more`() throws {
        let value: [String: Any] = ["content": "X", "nodes": [["content": "Y", "nodes": [] as [Any]]]]
        #expect(try render("{{> node}}", value, ["node": "{{content}}({{#nodes}}{{> node}}{{/nodes}})"]) == "X(Y())")
        #expect(try render("{{> self}}", [:], ["self": "a{{> self}}"]).count == 32)
    }

    @Test func `who inherits fills the blocks of its parent`() throws {
        let parent = ["parent": "[{{$head}}usual{{/head}}|{{$main}}{{/main}}]"]
        #expect(try render("{{< parent}}{{$main}}{{text}}{{/main}}{{/parent}}", ["text": "own"], parent) == "[usual|own]")
        #expect(try render("{{< parent}}{{$head}}other{{/head}}ignored{{/parent}}", [:], parent) == "[other|]")
        // Blocks outside of the inheriting tag do not fill the parent.
        #expect(try render("{{< parent}}{{/parent}}{{$main}}alone{{/main}}", [:], parent) == "[usual|]alone")
    }

    // MARK: Errors

    @Test(arguments: ["{{#a}}", "{{/a}}", "{{#a}}{{#b}}{{/a}}{{/b}}", "{{a", "{{{a}}", "{{$a}}", "{{< a}}{{/b}}"])
    func `what is open or crossed is an error`(text: String) { #expect(throws: TemplateError.self) { try Template(text) } }
}
