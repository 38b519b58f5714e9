import CrashSymbolication

let formats = FormatRegistry.standard.adding(AcmeCrash.self)
let log = try CrashLog(contentsOf: "acme.log", formats: formats)
