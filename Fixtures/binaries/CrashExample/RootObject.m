#import "RootObject.h"

// From <objc/runtime.h>; the linker leaves it for the loader (-undefined dynamic_lookup).
extern id class_createInstance(Class cls, unsigned long extraBytes);

@implementation RootObject

+ (id)alloc {
    return class_createInstance((Class)self, 0);
}

- (id)init {
    return self;
}

@end
