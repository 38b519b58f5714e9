#import "CrashExampleAppDelegate.h"

static id makeDelegate(void) {
    return [[CrashExampleAppDelegate alloc] init];
}

int main(int argc, char **argv) {
    CrashExampleAppDelegate *delegate = makeDelegate();
    [delegate applicationDidFinishLaunching:nil];
    return argc > 1 && argv[1] != 0;
}
