#import "RootObject.h"

typedef enum {
    TransitionKindFade,
    TransitionKindSlide
} TransitionKind;

@interface CrashExampleAppDelegate : RootObject {
    TransitionKind _kind;
    int _stepsDone;
    BOOL _launched;
}

- (void)applicationDidFinishLaunching:(id)notification;
- (int)showDetail:(id)sender;
- (int)performTransition;

@end

// Promised here, implemented nowhere: sending it is what kills the program
// ("unrecognized selector sent to instance").
@interface CrashExampleAppDelegate (Transitions)

- (int)runTransitionOfKind:(TransitionKind)kind;

@end
