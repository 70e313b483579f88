/* The functions for C callers that every model has. */
#include "memory.c"

/// last_error
const char *NAME_last_error(void)
{
    return last_error;
}

/// abi_version
int NAME_abi_version(void)
{
    return RELAX_ABI_VERSION;
}

/// interface
const char *NAME_interface(void)
{
    return "INTERFACE";
}

/// release
void NAME_release(DLTensor *tensor)
{
    if (tensor == NULL || tensor->data == NULL)
        return;
    deallocate(tensor->data);
    deallocate(tensor->shape);
    tensor->data = NULL;
    tensor->shape = NULL;
}

///
static struct packed {
    const char *name, *symbol;
    NAME_packed function;
    void *context;
} packed_functions[1];

/// register: set_error
int NAME_register(const char *name, NAME_packed function, void *context)
{
    bool found = false;
    const size_t count = sizeof packed_functions / sizeof *packed_functions;
    for (size_t i = 0; i < count && name != NULL; ++i) {
        struct packed *const p = &packed_functions[i];
        if (strcmp(name, p->name) != 0 && strcmp(name, p->symbol) != 0)
            continue;
        p->function = function;
        p->context = context;
        found = true;
    }
    if (found)
        return 0;
    set_error("%s, found %s", EXPECTED,
        name == NULL ? "NULL" : name);
    return -1;
}
