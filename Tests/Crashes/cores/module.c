// An extension module of Python that crashes. CHAIN: see faults.c.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
static volatile int *volatile null;
__attribute__((noinline)) static void write_null(int n) { *null = n; }
// CHAIN extension: write_null crash
static PyObject *crash(PyObject *self, PyObject *arguments) { write_null(1); __asm__ volatile("" ::: "memory"); Py_RETURN_NONE; }
static PyMethodDef methods[] = {{"crash", crash, METH_NOARGS, ""}, {NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "crashing", NULL, -1, methods};
PyMODINIT_FUNC PyInit_crashing(void) { return PyModule_Create(&definition); }
