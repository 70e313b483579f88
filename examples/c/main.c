/* Reads rows of four numbers, as many as there are, and prints the class of each: the batch is as large as
   the input, and one compiled model serves every size. */
#include <stdio.h>
#include <stdlib.h>

#include "classifier.h"

enum { FEATURES = 4, CLASSES = 3 };

/* All rows; -1 of them where something else stands among them. */
static float *read_rows(int64_t *rows)
{
    size_t room = 64, count = 0;
    float *values = malloc(room * sizeof *values);
    while (values != NULL && scanf("%f", &values[count]) == 1) {
        if (++count == room) {
            float *const more = realloc(values, (room *= 2) * sizeof *values);
            if (more == NULL)
                free(values);
            values = more;
        }
    }
    *rows = count % FEATURES == 0 && feof(stdin) ? (int64_t)(count / FEATURES) : -1;
    return values;
}

int main(int count, char **arguments)
{
    if (classifier_load(count > 1 ? arguments[1] : "classifier.weights") != 0) {
        fprintf(stderr, "%s\n", classifier_last_error());
        return 1;
    }
    int64_t rows;
    float *const values = read_rows(&rows);
    if (values == NULL) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }

    if (rows < 0) {
        fprintf(stderr, "expected rows of four numbers\n");
        free(values);
        return 1;
    }

    int64_t shape[] = {rows, FEATURES};
    const DLTensor x = {
        .data = values, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    DLTensor probabilities = {0}; /* the model allocates it, of the shape that the input asks for */
    if (classifier_classify(&x, &probabilities) != 0) {
        fprintf(stderr, "%s\n", classifier_last_error());
        free(values);
        return 1;
    }

    const float *row = probabilities.data;
    for (int64_t i = 0; i < rows; ++i, row += CLASSES) {
        int best = 0;
        for (int k = 1; k < CLASSES; ++k)
            best = row[k] > row[best] ? k : best;
        printf("row %lld: class %d, probability %.4f\n", (long long)i, best, row[best]);
    }

    classifier_release(&probabilities);
    classifier_unload();
    free(values);
    return 0;
}
