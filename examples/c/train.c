/* Trains the classifier's network on rows of four numbers and a class, 0 to 2, as many as there are: each step is one
   call, which writes over the weights and over the state of AdamW. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trainer.h"

enum { FEATURES = 4, HIDDEN = 5, CLASSES = 3, WEIGHTS = 4, STEPS = 300 };

static int64_t shapes[WEIGHTS][2] = {{FEATURES, HIDDEN}, {HIDDEN}, {HIDDEN, CLASSES}, {CLASSES}};
static const int ranks[WEIGHTS] = {2, 1, 2, 1};

static DLTensor tensor(void *data, int rank, int64_t *shape, DLDataType type)
{
    return (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = rank, .dtype = type, .shape = shape};
}

/* Weights, and their means and mean squares: one after the other in a piece of memory, zeros at first. */
static DLTensor *make_tensors(void)
{
    static float memory[3][64];
    static DLTensor tensors[3 * WEIGHTS];
    const DLDataType f32 = {kDLFloat, 32, 1};
    for (int kind = 0; kind < 3; ++kind) {
        float *place = memory[kind];
        for (int i = 0; i < WEIGHTS; ++i) {
            const int64_t size = shapes[i][0] * (ranks[i] == 2 ? shapes[i][1] : 1);
            tensors[kind * WEIGHTS + i] = tensor(place, ranks[i], shapes[i], f32);
            for (int64_t k = 0; kind == 0 && ranks[i] == 2 && k < size; ++k)
                place[k] = (float)rand() / (float)RAND_MAX - 0.5f;
            place += size;
        }
    }
    return tensors;
}

int main(void)
{
    float values[1024][FEATURES];
    int64_t labels[1024], rows = 0, count = 0;
    int found = EOF;
    while (rows < 1024 && (found = scanf("%f %f %f %f %" SCNd64, &values[rows][0], &values[rows][1],
                               &values[rows][2], &values[rows][3], &labels[rows])) == FEATURES + 1)
        ++rows;
    if (rows == 0 || (found != FEATURES + 1 && found != EOF)) {
        fprintf(stderr, "row %" PRId64 ": expected four numbers and a class\n", rows);
        return 1;
    }

    int64_t shape[] = {rows, FEATURES};
    const DLDataType f32 = {kDLFloat, 32, 1}, i64 = {kDLInt, 64, 1};
    const DLTensor x = tensor(values, 2, shape, f32), classes = tensor(labels, 1, shape, i64);
    DLTensor *const w = make_tensors(), *const mean = w + WEIGHTS, *const square = mean + WEIGHTS;
    DLTensor steps = tensor(&count, 0, NULL, i64);
    float value = 0;
    DLTensor loss = tensor(&value, 0, NULL, f32);

    while (count < STEPS) {
        if (trainer_loss_step(&w[0], &w[1], &w[2], &w[3], &steps, &mean[0], &mean[1], &mean[2], &mean[3],
                &square[0], &square[1], &square[2], &square[3], &x, &classes, &loss) != 0) {
            fprintf(stderr, "%s\n", trainer_last_error());
            return 1;
        }
        if (count == 1 || count % 100 == 0)
            printf("step %" PRId64 ": loss %.4f\n", count, value);
    }
    trainer_unload();
    return 0;
}
