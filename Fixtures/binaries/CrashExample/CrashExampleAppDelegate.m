// The delegate of the program whose crash log Fixtures/logs/nsexception-console/CrashExample holds.
//
// The tests ask for `-[CrashExampleAppDelegate performTransition]` at line 94, the line that an article of 2008
// found by hand with gdb and atos. At that line the method sends a message and uses the answer, so the call is no
// tail call, and the return address still belongs to the same line.

#import "CrashExampleAppDelegate.h"

// How many steps each kind of transition takes before it ends.
static const int stepLimits[] = {
    4,   // TransitionKindFade
    12,  // TransitionKindSlide
};

// Two different files could have a `clampStep`: a static function is known by its file only.
static int clampStep(int step, TransitionKind kind) {
    if (step < 0) {
        return 0;
    }
    if (step > stepLimits[kind]) {
        return stepLimits[kind];
    }
    return step;
}

@implementation CrashExampleAppDelegate

#pragma mark Life

- (id)init {
    self = [super init];
    if (self != nil) {
        _kind = TransitionKindSlide;
        _stepsDone = 0;
        _launched = NO;
    }
    return self;
}

#pragma mark Launching

- (void)applicationDidFinishLaunching:(id)notification {
    if (_launched) {
        return;
    }
    _launched = YES;
    _stepsDone = [self showDetail:notification];
}

#pragma mark Actions

- (int)showDetail:(id)sender {
    int before = _stepsDone;

    if (sender == self) {
        // A transition to what is shown already does nothing.
        return before;
    }

    int done = [self performTransition];
    return clampStep(before + done, _kind);
}

#pragma mark Transitions

// The answer is the number of the step that was reached.
//
// What happens here, in the order of the addresses in the log:
//
//   1. the method is entered from -showDetail:
//   2. it sends -runTransitionOfKind: to itself
//   3. nobody implements that; the runtime forwards it,
//      finds no receiver, and raises an exception
//
// The exception's stack therefore holds, from the innermost frame outwards: the system's own frames, which this
// binary cannot explain, and then the return addresses in
//
//   -[CrashExampleAppDelegate performTransition]
//   -[CrashExampleAppDelegate showDetail:]
//   -[CrashExampleAppDelegate applicationDidFinishLaunching:]
//   main
//
// The line below must stay line 94; build.sh refuses to go on when it does not.

- (int)performTransition {
    int reached = 0;

    if (_stepsDone >= stepLimits[_kind]) {
        return _stepsDone;
    }

    // Nobody implements it: the runtime raises NSInvalidArgumentException, nobody catches it,
    // and the program ends here.
    reached = _stepsDone + [self runTransitionOfKind:_kind];

    _stepsDone = clampStep(reached, _kind);
    return _stepsDone;
}

@end
