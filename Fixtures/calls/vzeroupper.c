#include <immintrin.h>
extern void other(float *);
void f(float *p) { _mm256_storeu_ps(p, _mm256_add_ps(_mm256_loadu_ps(p), _mm256_set1_ps(2))); other(p); _mm256_storeu_ps(p, _mm256_add_ps(_mm256_loadu_ps(p), _mm256_set1_ps(2))); }
