// Recorder: channels of a run as a table. Replay: its poses, for a page that shows it.
#include "py_fields.h"

typedef struct lasting {
    void *pointer;
    PyObject *model, *handle; ///< the handle owns the pointer and keeps the model
} lasting;

static void lasting_dealloc(PyObject *self)
{
    lasting *r = dpy_state(self);
    Py_XDECREF(r->handle);
    Py_XDECREF(r->model);
    dpy_free(self);
}

static PyObject *wrap(PyTypeObject *type, void *pointer, void (*destroy)(void *), PyObject *model)
{
    PyObject *handle = dpy_handle(pointer, destroy, model);
    PyObject *self = handle ? dpy_new(type) : NULL;
    if (self) {
        *(lasting *)dpy_state(self) = (lasting){pointer, Py_NewRef(model), Py_NewRef(handle)};
    }
    Py_XDECREF(handle);
    return self;
}

// The data of an argument, which must be of the model of this object.
static dp_data *data_of(PyObject *self, PyObject *data)
{
    if (!PyObject_TypeCheck(data, dpy.data)) {
        PyErr_Format(PyExc_TypeError, "expected a Data, got %R", data);
        return NULL;
    }
    if (dpy_data_state(data)->model != ((lasting *)dpy_state(self))->model) {
        dpy_argument("this Data is of another Model");
        return NULL;
    }
    return dpy_data_use(data);
}

static PyObject *done(dp_status status)
{
    return status == DP_OK ? Py_NewRef(Py_None) : dpy_fail(status);
}

// Recorders

static dp_recorder *recorder_of(PyObject *self)
{
    return ((lasting *)dpy_state(self))->pointer;
}

static void destroy_recorder(void *r)
{
    dp_recorder_destroy(r);
}

static PyObject *recorder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *model = NULL;
    const char *channels = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|z:Recorder",
                                     (char *[]){"model", "channels", NULL}, dpy.model, &model,
                                     &channels)) {
        return NULL;
    }
    dp_recorder *r = NULL;
    const dp_status status = dp_recorder_create(&r, dpy_model(model), channels, NULL);
    return status == DP_OK ? wrap(type, r, destroy_recorder, model) : dpy_fail(status);
}

static PyObject *recorder_sample(PyObject *self, PyObject *data)
{
    dp_data *d = data_of(self, data);
    return d ? done(dp_recorder_sample(recorder_of(self), d)) : NULL;
}

static PyObject *texts(const dp_recorder *r, const char *(*text)(const dp_recorder *r, int column))
{
    const int count = dp_recorder_columns(r);
    PyObject *out = PyTuple_New(count);
    for (int i = 0; out && i < count; ++i) {
        PyObject *one = PyUnicode_FromString(text(r, i));
        if (!one || PyTuple_SetItem(out, i, one) < 0) {
            dpy_replace(&out, NULL);
        }
    }
    return out;
}

static PyObject *recorder_names(PyObject *self, void *closure)
{
    (void)closure;
    return texts(recorder_of(self), dp_recorder_name);
}

static PyObject *recorder_units(PyObject *self, void *closure)
{
    (void)closure;
    return texts(recorder_of(self), dp_recorder_unit);
}

static Py_ssize_t recorder_length(PyObject *self)
{
    return (Py_ssize_t)dp_recorder_rows(recorder_of(self));
}

static PyObject *recorder_column(PyObject *self, PyObject *argument)
{
    const dp_recorder *r = recorder_of(self);
    const long column = PyLong_AsLong(argument);
    if (column == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (column < 0 || column >= dp_recorder_columns(r)) {
        return dpy_argument("column %ld does not exist (expected 0 to %d)", column,
                            dp_recorder_columns(r) - 1);
    }
    const size_t rows = dp_recorder_rows(r);
    double *values = NULL;
    PyObject *out = dpy_array(&values, dpy_shape1((Py_ssize_t)rows));
    for (size_t i = 0; out && i < rows; ++i) {
        values[i] = dp_recorder_value(r, i, (int)column);
    }
    return out;
}

// A function that writes a file, called with the path of an argument.
static PyObject *write_to(PyObject *self, PyObject *argument,
                          dp_status (*write)(const dp_recorder *r, const char *path))
{
    PyObject *path = NULL;
    if (!PyUnicode_FSConverter(argument, &path)) {
        return NULL;
    }
    const dp_status status = write(recorder_of(self), PyBytes_AsString(path));
    Py_DECREF(path);
    return done(status);
}

static PyObject *recorder_csv(PyObject *self, PyObject *path)
{
    return write_to(self, path, dp_recorder_write_csv);
}

static PyObject *recorder_npz(PyObject *self, PyObject *path)
{
    return write_to(self, path, dp_recorder_write_npz);
}

static dp_status write_svg(const dp_recorder *r, const char *path)
{
    return dp_recorder_write_svg(r, path, NULL);
}

static PyObject *recorder_svg(PyObject *self, PyObject *path)
{
    return write_to(self, path, write_svg);
}

static PyGetSetDef recorder_getset[] = {
    {"names", recorder_names, NULL, "tuple[str, ...]: channels, time first", NULL},
    {"units", recorder_units, NULL, "tuple[str, ...]: their units", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef recorder_methods[] = {
    {"sample", recorder_sample, METH_O,
     "sample($self, data: Data, /)\n--\n\n-> None\nAppend a row with the present values."},
    {"column", recorder_column, METH_O,
     "column($self, index: int, /)\n--\n\n-> ndarray\nThe values of a channel so far, a copy."},
    {"write_csv", recorder_csv, METH_O,
     "write_csv($self, path: str | PathLike[str], /)\n--\n\n-> None\nWrite CSV with 17 digits."},
    {"write_npz", recorder_npz, METH_O,
     "write_npz($self, path: str | PathLike[str], /)\n--\n\n-> None\nWrite npz, one array for each "
     "channel."},
    {"write_svg", recorder_svg, METH_O,
     "write_svg($self, path: str | PathLike[str], /)\n--\n\n-> None\nDraw one panel for each "
     "unit."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot recorder_slots[] = {
    {Py_tp_new, recorder_new},
    {Py_tp_dealloc, lasting_dealloc},
    {Py_tp_getset, recorder_getset},
    {Py_tp_methods, recorder_methods},
    {Py_sq_length, recorder_length},
    {Py_tp_doc, "Recorder(model: Model, channels: str | None = None)\n--\n\n"
                "A table that grows by a row with each sample. Channels are names separated by "
                "commas, with * and ?; None: joints and energies."},
    {0, NULL},
};
static PyType_Spec recorder_type = {
    .name = "dashpot._core.Recorder",
    .basicsize = DPY_HEAD + sizeof(lasting),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = recorder_slots,
};

// Replays

static void destroy_replay(void *r)
{
    dp_replay_destroy(r);
}

static PyObject *replay_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *model = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!:Replay", (char *[]){"model", NULL},
                                     dpy.model, &model)) {
        return NULL;
    }
    dp_replay *r = NULL;
    const dp_status status = dp_replay_create(&r, dpy_model(model), NULL);
    return status == DP_OK ? wrap(type, r, destroy_replay, model) : dpy_fail(status);
}

static dp_replay *replay_of(PyObject *self)
{
    return ((lasting *)dpy_state(self))->pointer;
}

static PyObject *replay_sample(PyObject *self, PyObject *data)
{
    dp_data *d = data_of(self, data);
    return d ? done(dp_replay_sample(replay_of(self), d)) : NULL;
}

static Py_ssize_t replay_length(PyObject *self)
{
    return (Py_ssize_t)dp_replay_frames(replay_of(self));
}

// Facts of a page from a dict of strings, which keeps the texts.
static dp_replay_fact *facts_of(PyObject *dict, int *count)
{
    const Py_ssize_t size = PyDict_Size(dict);
    dp_replay_fact *fact = size < 0 ? NULL : PyMem_Calloc((size_t)size + 1, sizeof *fact);
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t at = 0;
    *count = 0;
    while (fact && PyDict_Next(dict, &at, &key, &value)) {
        const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
        const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
        if (!name || !text) {
            PyErr_SetString(PyExc_TypeError, "facts: expected a dict of strings");
            PyMem_Free(fact);
            return NULL;
        }
        fact[(*count)++] = (dp_replay_fact){name, text};
    }
    return fact;
}

static PyObject *replay_html(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *path = NULL, *facts = NULL, *recorder = Py_None;
    const char *title = "";
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|sO!O:write_html",
                                     (char *[]){"path", "title", "facts", "recorder", NULL},
                                     PyUnicode_FSConverter, &path, &title, &PyDict_Type, &facts,
                                     &recorder)) {
        return NULL;
    }
    dp_replay_page page = {.title = title};
    PyObject *out = NULL;
    dp_replay_fact *fact = facts ? facts_of(facts, &page.nfact) : NULL;
    page.fact = fact;
    if (recorder != Py_None && Py_TYPE(recorder) != dpy.recorder) {
        PyErr_SetString(PyExc_TypeError, "recorder: expected a Recorder or None");
    } else if (!PyErr_Occurred()) {
        page.channels = recorder == Py_None ? NULL : recorder_of(recorder);
        out = done(dp_replay_write_html(replay_of(self), PyBytes_AsString(path), &page));
    }
    PyMem_Free(fact);
    Py_DECREF(path);
    return out;
}

static PyMethodDef replay_methods[] = {
    {"sample", replay_sample, METH_O,
     "sample($self, data: Data, /)\n--\n\n-> None\nAppend a frame with the present poses."},
    {"write_html", (PyCFunction)(void (*)(void))replay_html, METH_VARARGS | METH_KEYWORDS,
     "write_html($self, /, path: str | PathLike[str], title: str = '', facts: dict[str, str] = "
     "..., "
     "recorder: Recorder | None = None)\n--\n\n-> None\n"
     "Write one page that shows the run in any browser."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot replay_slots[] = {
    {Py_tp_new, replay_new},
    {Py_tp_dealloc, lasting_dealloc},
    {Py_tp_methods, replay_methods},
    {Py_sq_length, replay_length},
    {Py_tp_doc,
     "Replay(model: Model)\n--\n\nPoses, contacts and pressures of a run, frame by frame."},
    {0, NULL},
};
static PyType_Spec replay_type = {
    .name = "dashpot._core.Replay",
    .basicsize = DPY_HEAD + sizeof(lasting),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = replay_slots,
};

bool dpy_recorder_init(PyObject *module)
{
    dpy.recorder = dpy_add_type(module, &recorder_type);
    dpy.replay = dpy.recorder ? dpy_add_type(module, &replay_type) : NULL;
    return dpy.replay != NULL;
}
