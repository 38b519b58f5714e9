internal import CrashLogModel

/// The kinds of `.ips`, by the `bug_type` of their header line.
///
/// The names are those of OSAnalytics, the framework that writes and submits such logs (the log
/// types of its `submissionConfig.plist`).
struct AppleIPSBugType {
    /// As the header has it: a number, mostly.
    let code: String

    init?(_ header: JSONValue) {
        guard let code = header["bug_type"]?.text else { return nil }
        self.code = code
    }

    /// OSAnalytics' name; `nil` for a type that it does not list.
    var name: String? { AppleIPSBugType.names[code] }

    /// `Jetsam report (bug_type 298)`
    var description: String { (name.map { "\($0) report" } ?? "report") + " (bug_type \(code))" }

    /// Why reports of a type have no stacks, for those that people meet most.
    var reasonWithoutStacks: String? {
        switch code {
        case "298", "98", "198": "it lists what each process held in memory when the system ended one for its use of memory"
        case "301": "it reports a reset because of low memory"
        case "115", "151": "it counts resets of the device"
        case "211", "33": "it holds statistics"
        case "183", "194": "it reports a software update"
        case "241": "it reports a stream that stalled"
        default: nil
        }
    }

    private static let names = [
        "9": "Crash", "10": "Panic", "11": "Spin", "12": "Hang", "13": "ConnectionFailure", "14": "MessageTracer", "17": "ShutdownStall",
        "18": "AssumptionViolation", "20": "xprotect", "21": "GPURestart", "22": "ExcResource", "23": "MicroStackShots",
        "24": "SleepWakeFailure", "25": "WakeupsMonitorViolation", "27": "WirelessDiagnostics", "28": "WatchdogTimeout",
        "29": "ServiceWatchdogTimeout", "30": "MemoryResource", "31": "Bridge", "32": "FirmwareIntegrity", "33": "CoreAnalytics",
        "34": "AutoBugCapture", "35": "EfiFirmwareIntegrity", "36": "SystemStats", "37": "AnonSystemStats", "44": "IOMicroStackShot",
        "45": "spin45", "50": "DifferentialPrivacy", "58": "DuetKnowledgeCollector2", "83": "BridgeRestore", "98": "Jetsam", "100": "LDCM",
        "101": "CLTM", "109": "Crash", "110": "Panic", "115": "ResetCount", "116": "System", "117": "WiFi", "118": "Bluetooth",
        "119": "General", "120": "LowBattery", "141": "IOPowerSources", "142": "SymptomsCPUWakes", "143": "SCPMotion",
        "144": "HotSpotIOMicroSS", "145": "SymptomsIO", "149": "MultitouchFirmware", "150": "DifferentialPrivacy", "151": "ForceReset",
        "152": "MemorySnapshot", "154": "MemoryGraph", "155": "NetworkUsage", "156": "CoreTime", "157": "CPUMicroSS",
        "158": "DuetKnowledgeCollector", "159": "BasebandCrash", "161": "MotionState", "164": "SubDiagHeartBeat", "165": "StorageStatus",
        "166": "KeyboardAccuracy", "167": "PrivacySettings", "168": "CarouselEvent", "169": "SiriTransaction", "172": "ECCEvent",
        "174": "MicroStackshot", "175": "DuetDB", "176": "FlashStatus", "178": "PowerLogLite", "179": "Session", "182": "AccessoryUpdate",
        "183": "OTASUpdate", "184": "GPURestart", "185": "ExcResource", "186": "KtraceStackshot", "187": "Sandbox",
        "188": "LegacyStackshot", "192": "GasGauge", "193": "AggregateD", "194": "SURestore", "195": "BasebandStats",
        "197": "MACorrelation", "198": "LegacyJetsam", "199": "Modem", "201": "Siri", "202": "SymptomsCPUUsage",
        "203": "SiriAppPrediction", "204": "AutoBugCapture", "205": "PanicStats", "206": "SymptomsCPUUsageFatal", "207": "HangSpin",
        "209": "WifiCrash", "210": "Panic", "211": "CoreAnalytics", "212": "BTMetadata", "213": "Rosetta", "215": "SiriAppSelection",
        "216": "Rosetta_B", "217": "Portrait", "218": "MultichannelAudio", "219": "SiriActionPrediction", "220": "PowerMicroStackshots",
        "221": "WifiCrashBinary", "222": "LongRunloopHang", "223": "ShortRunloopHang", "227": "ExcResourceThreads",
        "228": "ThirdPartyHang", "230": "PowerLog", "231": "CoreHandwriting", "235": "WifiSensing", "238": "AppLaunchDiagnostics",
        "239": "HangWorkflowResponsiveness", "240": "AVConference", "241": "AMTStreamingStallNetworkDiagnostics",
        "242": "ProactiveDeadlockDetection", "243": "CompositorClientHang", "244": "DeviceRecoveryEnvironmentDiagnostics",
        "245": "DeviceRecoveryEnvironmentSystemCapture", "248": "HotSpotAppLaunchLog", "278": "log-power", "284": "GPUEvent",
        "288": "Stackshot", "298": "Jetsam", "301": "SystemMemoryReset", "302": "glitchyspin", "305": "AudioAccessory", "308": "OSFault",
        "309": "Crash", "310": "MicroRunloopHang", "312": "DiagnosticRequest", "327": "ExcResourceThreads",
        "328": "ThirdPartyHangDeveloper", "385": "ExcResource", "409": "SystemWatchdogCrash", "410": "AutomationPanic",
        "509": "TerminatingStackshot",
    ]
}
