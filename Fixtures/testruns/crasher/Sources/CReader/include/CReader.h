#ifndef CREADER_H
#define CREADER_H

int reader_first(const int *values);
int reader_at(int index);

#endif
