// The extension module dashpot._core: what its files share. CPython's limited API (3.11) and
// Dashpot's public API are all it knows.
//
// The C state of every object is reached through dpy_state() alone. Objects that lend memory to
// arrays are owned by handles, which know nothing of Python objects above them, so that an array
// keeps its memory alive and no cycle goes through it (NumPy's arrays are not seen by the
// collector).
#ifndef DASHPOT_PYTHON_CORE_H
#define DASHPOT_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <dashpot/dashpot.h>

#include <stdatomic.h>

// py_errors.c

/// The module's exceptions, types and what it keeps of NumPy: made once, when it is imported.
typedef struct dpy_module {
    PyObject *error;            ///< dashpot.Error
    PyObject *status_error[16]; ///< by dp_status
    PyObject *busy_error;
    PyObject *ndarray, *dtype, *ascontiguousarray; ///< of NumPy
    PyObject *float64, *int32, *boolean;           ///< dtypes
    PyTypeObject *memory, *handle, *model, *data, *spec, *recorder, *replay;
    PyObject *module;
    unsigned long main_thread;
} dpy_module;
extern dpy_module dpy;

/// The C state of an object of this module. Objects of heap types end in it: under the ABI of
/// free-threaded builds this becomes PyObject_GetTypeData.
static inline void *dpy_state(PyObject *self)
{
    return (char *)self + sizeof(PyObject);
}
enum { DPY_HEAD = sizeof(PyObject) };

/// Put `next`, a new reference or NULL, where a reference is.
static inline void dpy_replace(PyObject **slot, PyObject *next)
{
    PyObject *old = *slot;
    *slot = next;
    Py_XDECREF(old);
}

/// Numbers as closures of properties: a place in an array of no other use.
extern char dpy_places[256];
#define DPY_PLACE(number) (&dpy_places[number])
static inline int dpy_place(const void *closure)
{
    return (int)((const char *)closure - dpy_places);
}

bool dpy_errors_init(PyObject *module);
/// Raise the exception that belongs to a status, with the library's message. An exception that is
/// set already (a callback's, Ctrl-C) stays. @return NULL
PyObject *dpy_fail(dp_status status);
/// Raise ArgumentError. @return NULL
PyObject *dpy_argument(const char *format, ...);

/// Make a type and add it to the module. @return NULL with an exception
PyTypeObject *dpy_add_type(PyObject *module, PyType_Spec *spec);
/// A new object of a type with its state all zeros. @return NULL with an exception
PyObject *dpy_new(PyTypeObject *type);
/// End of an object's memory; also lets go of its type.
void dpy_free(PyObject *self);

// py_memory.c: arrays on memory of the library, and what keeps it alive

bool dpy_memory_init(PyObject *module);
/// Own `pointer`: destroy(pointer) runs when nothing needs it. @param keep lives at least as long
PyObject *dpy_handle(void *pointer, void (*destroy)(void *), PyObject *keep);

/// The shape of an array: 1 or 2 dimensions, or 3.
typedef struct dpy_shape {
    int ndim;
    Py_ssize_t n[3];
} dpy_shape;
dpy_shape dpy_shape1(Py_ssize_t n);
dpy_shape dpy_shape2(Py_ssize_t rows, Py_ssize_t columns);

/// An array of NumPy on memory that `owner` keeps alive. @param format of the struct module: "d"
PyObject *dpy_view(PyObject *owner, void *start, const char *format, dpy_shape shape,
                   bool writable);
/// A new array of doubles with memory of its own, to be filled. @param values set to its memory
PyObject *dpy_array(double **values, dpy_shape shape);
/// A new array with a copy of `count` doubles.
PyObject *dpy_vector(const double *values, int count);
PyObject *dpy_v3(dp_v3 v);
PyObject *dpy_quat(dp_quat q);
/// (6,): angular part first.
PyObject *dpy_twist(dp_twist t);

// py_inputs.c: numbers from Python

/// Numbers that were given: contiguous doubles (or ints) as long as it lives. {0} is none.
typedef struct dpy_numbers {
    Py_buffer buffer;
    PyObject *array;
    const double *value; ///< of dpy_numbers_read
    const int *whole;    ///< of dpy_integers_read
    const bool *flag;    ///< of dpy_mask_read; NULL: None was given
    Py_ssize_t count, rows, columns;
} dpy_numbers;
enum { DPY_ANY = -1 };
/// Read `object` as finite doubles of the shape given, where DPY_ANY is any length. Raises
/// ArgumentError that names `what`.
bool dpy_numbers_read(dpy_numbers *out, PyObject *object, const char *what, dpy_shape shape);
/// The same, where infinities are allowed.
bool dpy_numbers_read_infinite(dpy_numbers *out, PyObject *object, const char *what,
                               dpy_shape shape);
bool dpy_integers_read(dpy_numbers *out, PyObject *object, const char *what, dpy_shape shape);
void dpy_numbers_free(dpy_numbers *n);
/// Flags: bools of shape (n,). None: NULL, all.
bool dpy_mask_read(dpy_numbers *out, PyObject *object, Py_ssize_t n);
bool dpy_v3_read(dp_v3 *out, PyObject *object, const char *what);
/// A pose from a position and a quaternion, either of which may be None.
bool dpy_pose_read(dp_pose *out, PyObject *position, PyObject *quaternion);

// py_model.c

bool dpy_model_init(PyObject *module);
const dp_model *dpy_model(PyObject *self);
/// Compile a spec into a Model of `type`. @param report of an import: a tuple, or NULL
PyObject *dpy_model_compile(PyTypeObject *type, const dp_spec *spec, PyObject *report);

// py_kinds.c: elements by name or number

typedef enum dpy_element {
    DPY_BODY,
    DPY_JOINT,
    DPY_GEOM,
    DPY_SITE,
    DPY_ACTUATOR,
    DPY_SENSOR,
    DPY_MESH,
    DPY_HFIELD,
    DPY_PAIR,
    DPY_EXCLUDE,
    DPY_TENDON,
    DPY_EQUALITY,
    DPY_FORCE,
    DPY_MOTION,
    DPY_KEY,
    DPY_ELEMENTS,
} dpy_element;
const char *dpy_element_name(dpy_element element);
int dpy_element_count(const dp_model *m, dpy_element element);
/// The name of an element, "" where it has none.
const char *dpy_element_text(const dp_model *m, dpy_element element, int index);
/// The number of the element that `object`, a name or a number, means. Raises ArgumentError.
bool dpy_element_find(int *out, const dp_model *m, dpy_element element, PyObject *object);
/// What is known of an element: a record. `model` is kept.
PyObject *dpy_element_info(PyObject *model, dpy_element element, int index);

// py_spec.c, py_import.c

bool dpy_spec_init(PyObject *module);
/// A spec and its import report, a tuple, from a file or, where `text` is not NULL, from memory.
dp_spec *dpy_import(PyObject **out, const char *path, PyObject *text, PyObject *options);

// py_call.c: calls that take long

/// One call at a time, by one thread.
typedef struct dpy_call {
    _Atomic unsigned long busy; ///< the thread that is in a call; 0: none
    PyThreadState *released;    ///< while it runs without the GIL
    unsigned polls;
    double last_poll; ///< [s] when signals were looked at last
} dpy_call;
/// Begin a call. Raises BusyError where there is one already. @param what a "Data", a "Batch"
bool dpy_enter(dpy_call *call, const char *what);
void dpy_leave(dpy_call *call);
/// May the present thread look at the object? Raises BusyError.
bool dpy_may_use(const dpy_call *call, const char *what);
/// Let go of the GIL between dpy_enter and dpy_leave, and take it again.
void dpy_release(dpy_call *call);
void dpy_acquire(dpy_call *call);
/// Look at signals now and then: a dp_interrupt_fn, with or without the GIL.
bool dpy_interrupt(void *call);

// py_data.c, py_step.c

/// The state of a Data.
typedef struct dpy_data {
    PyObject *handle; ///< owns `d`
    PyObject *model;
    dp_data *d;
    PyObject *array[12]; ///< arrays that were asked for: py_data.c
    PyObject *control_callback, *force_callback, *contact_filter;
    PyObject *force_array; ///< what the force callback writes
    double *force_values;
    dpy_call *call; ///< of its own, or of the batch that it is a world of
    dpy_call own_call;
    PyObject *batch; ///< NULL: it is no world of one
    bool long_step;  ///< a single step is long enough to let go of the GIL
} dpy_data;
bool dpy_data_init(PyObject *module);
extern PyMethodDef dpy_step_methods[], dpy_dynamics_methods[], dpy_query_methods[];
extern PyGetSetDef dpy_step_getset[], dpy_query_getset[];
/// The data of a Data for a call that does not step. NULL with BusyError while another thread
/// steps.
dp_data *dpy_data_use(PyObject *self);
/// A Data of one world of a Batch.
PyObject *dpy_world(PyObject *batch, PyObject *handle, PyObject *model, dp_data *d, dpy_call *call);
/// The state of a Data, which ends a call of another object (Batch, Replay) that takes long.
dpy_data *dpy_data_state(PyObject *self);

// py_elements.c: views of one element of a Data

bool dpy_elements_init(PyObject *module);
extern PyMethodDef dpy_element_methods[];

bool dpy_recorder_init(PyObject *module);
bool dpy_shapes_init(PyObject *module);
bool dpy_batch_init(PyObject *module);
extern PyMethodDef dpy_parameter_methods[], dpy_step_problem_methods[],
    dpy_step_problem_functions[];
/// Of Model: parameter("body.torso.mass"), and the names of all.
PyObject *dpy_model_parameter(PyObject *model, PyObject *name);
PyObject *dpy_model_parameters(PyObject *model, void *closure);
/// Numbers of parameters by name, of `count` strings of a sequence. To be freed by PyMem_Free.
dp_parameter_id *dpy_parameters_find(Py_ssize_t *count, const dp_model *m, PyObject *names);
extern PyMethodDef dpy_problem_functions[], dpy_fc_functions[], dpy_shape_functions[],
    dpy_plain_functions[];
extern PyMethodDef dpy_statics_methods[];

#endif
