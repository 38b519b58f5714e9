extension FrameList {
    /// Libraries that check conditions and log what fails.
    static let checks = FrameList(
        name: "checks",
        """
        irrelevant logging::LogMessage::*
        irrelevant logging::LogMessageFatal::*
        irrelevant logging::CheckError::*
        irrelevant logging::CheckFailure*
        irrelevant base::debug::*
        irrelevant base::ImmediateCrash*
        irrelevant google::LogMessage::*
        irrelevant google::LogMessageFatal::*
        irrelevant absl::log_internal::*
        irrelevant absl::raw_log_internal::*
        irrelevant v8::base::OS::Abort
        irrelevant v8::base::debug::*
        irrelevant fuzztest::internal::*
        irrelevant testing::internal::*
        irrelevant __android_log_assert
        irrelevant qFatal
        irrelevant qt_message*
        irrelevant qt_assert*
        irrelevant QMessageLogger::fatal
        irrelevant KCrash::*
        irrelevant g_log*
        irrelevant g_assertion_message*
        irrelevant g_error*
        irrelevant folly::*LogFatal*
        prefix LLVMFuzzerTestOneInput
        """)
}
