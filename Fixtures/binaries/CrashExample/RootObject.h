// A root class of our own: the program needs no Apple header to compile, and no Apple library to link.

typedef signed char BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#define nil ((id)0)

__attribute__((objc_root_class))
@interface RootObject {
    Class isa;
}

+ (id)alloc;
- (id)init;

@end
