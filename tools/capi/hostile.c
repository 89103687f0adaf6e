// Calls the library as no program should, and from ten threads at once: codes, never a crash. Ends with 0 if all were right.
//   hostile [CALLS OF EACH THREAD]
#include <gammond.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, gammond_error_text());  \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

static uint64_t engine;
static int calls = 10000;
static char one_play[4096];

static GammondQuestion start(void) {
  GammondQuestion question = {.size = sizeof question};
  EXPECT(gammond_read_question("4HPwATDgc/ABMA 31", &question) == GAMMOND_OK);
  return question;
}

static void *work(void *number) {
  unsigned seed = (unsigned)(size_t)number * 7919 + 1;
  GammondQuestion question = start();
  for (int call = 0; call < calls; call++) {
    seed = seed * 1664525 + 1013904223;
    switch (seed >> 16 & 7) {
    case 0: {
      char *answer = NULL;
      size_t length = 0;
      const char *request = "4HPwATDgc/ABMA 31 top=1";
      EXPECT(gammond_ask(engine, request, strlen(request), 0, &answer, &length) == GAMMOND_OK);
      EXPECT(length == strlen(answer) && strcmp(answer, one_play) == 0);
      EXPECT(gammond_free(answer) == GAMMOND_OK);
      break;
    }
    case 1: {
      GammondEvaluation value = {.size = sizeof value};
      EXPECT(gammond_evaluate(engine, &question, &value) == GAMMOND_OK);
      EXPECT(value.chances.win > 0.5f && value.chances.win < 0.6f);
      break;
    }
    case 2: {
      GammondCube cube = {.size = sizeof cube};
      EXPECT(gammond_cube(engine, &question, &cube) == GAMMOND_OK && !cube.should_double && cube.should_take);
      break;
    }
    case 3: {
      uint64_t stop = 0;
      EXPECT(gammond_stop_new(&stop) == GAMMOND_OK && gammond_stop(stop) == GAMMOND_OK);
      EXPECT(gammond_stop_free(stop) == GAMMOND_OK && gammond_stop(stop) == GAMMOND_ERROR_HANDLE);
      break;
    }
    case 4:
      EXPECT(gammond_evaluate(engine + 1000000000 + seed, &question, NULL) == GAMMOND_ERROR_HANDLE);
      EXPECT(gammond_error_code() == GAMMOND_ERROR_HANDLE && strstr(gammond_error_text(), "is no open engine"));
      break;
    case 5: {
      GammondQuestion wrong = question;
      wrong.points[seed >> 8 & 15] = (int8_t)seed;
      GammondEvaluation value = {.size = sizeof value};
      GammondCode code = gammond_evaluate(engine, &wrong, &value);
      EXPECT(code == GAMMOND_OK || code == GAMMOND_ERROR_VALUE);
      break;
    }
    default: {
      GammondPlay plays[4];
      size_t count = 0;
      question.dice[0] = (uint8_t)((seed >> 8) % 6 + 1);
      question.dice[1] = (uint8_t)((seed >> 20) % 6 + 1);
      EXPECT(gammond_best_plays(engine, &question, plays, sizeof plays[0], 4, &count) == GAMMOND_OK && count > 0);
      EXPECT(plays[0].loss == 0);
      break;
    }
    }
  }
  return NULL;
}

static int stops(void *user, const GammondRolledOut *rows, size_t row_size, size_t count) {
  EXPECT(row_size == sizeof(GammondRolledOut) && count > 0 && rows[0].trials > 0);
  return ++*(int *)user >= 2;
}

// Random bytes as text: an answer or a code.
static void random_texts(void) {
  unsigned seed = 3;
  for (int number = 0; number < 300; number++) {
    char text[257];
    for (size_t at = 0; at < sizeof text; at++) text[at] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
    text[256] = 0;
    char *answer = NULL;
    EXPECT(gammond_ask(engine, text, 256, 0, &answer, NULL) == GAMMOND_OK);
    EXPECT(gammond_free(answer) == GAMMOND_OK && gammond_free(answer) == GAMMOND_ERROR_HANDLE);
    GammondQuestion question = {.size = sizeof question};
    GammondCode code = gammond_read_question(text, &question);
    EXPECT(code == GAMMOND_ERROR_VALUE || code == GAMMOND_ERROR_TEXT);
    EXPECT(gammond_analyse(engine, text, 256, NULL, 0, NULL, NULL, NULL) == GAMMOND_ERROR_VALUE);
    question = start();
    question.settings = text;
    GammondEvaluation value = {.size = sizeof value};
    EXPECT(gammond_evaluate(engine, &question, &value) != GAMMOND_OK || !strpbrk(text, "!~"));
  }
}

int main(int count, char **arguments) {
  if (count > 1) calls = atoi(arguments[1]);
  GammondOptions options = {.size = sizeof options, .threads = 2};
  EXPECT(gammond_open(&options, &engine) == GAMMOND_OK && engine != 0);

  // NULLs, wrong handles, wrong sizes.
  GammondQuestion question = start();
  GammondEvaluation value = {.size = sizeof value};
  char *answer = NULL;
  EXPECT(gammond_open(NULL, NULL) == GAMMOND_ERROR_NULL);
  EXPECT(gammond_evaluate(engine, NULL, &value) == GAMMOND_ERROR_NULL);
  EXPECT(gammond_evaluate(engine, &question, NULL) == GAMMOND_ERROR_NULL);
  EXPECT(gammond_evaluate(0, &question, &value) == GAMMOND_ERROR_HANDLE);
  EXPECT(gammond_close(0) == GAMMOND_ERROR_HANDLE && gammond_close((uint64_t)-1) == GAMMOND_ERROR_HANDLE);
  EXPECT(gammond_ask(engine, NULL, 5, 0, &answer, NULL) == GAMMOND_ERROR_NULL && !answer);
  EXPECT(gammond_ask(engine, "ping", 4, 77777777, &answer, NULL) == GAMMOND_ERROR_HANDLE && !answer);
  value.size = 8;
  EXPECT(gammond_evaluate(engine, &question, &value) == GAMMOND_ERROR_SIZE);
  question.size = 0;
  EXPECT(gammond_evaluate(engine, &question, &value) == GAMMOND_ERROR_SIZE);
  options.nets = "/no/such/net";
  uint64_t other = 5;
  EXPECT(gammond_open(&options, &other) == GAMMOND_ERROR_FILE && other == 0);

  // Huge texts.
  size_t huge = (size_t)17 << 20;
  char *text = malloc(huge + 1);
  memset(text, 'a', huge);
  text[huge] = 0;
  EXPECT(gammond_ask(engine, text, huge, 0, &answer, NULL) == GAMMOND_ERROR_TOO_LONG && !answer);
  EXPECT(gammond_ask(engine, text, huge / 2, 0, &answer, NULL) == GAMMOND_OK && strstr(answer, "line-too-long"));
  EXPECT(gammond_free(answer) == GAMMOND_OK);
  question = start();
  question.settings = text;
  value.size = sizeof value;
  EXPECT(gammond_evaluate(engine, &question, &value) == GAMMOND_ERROR_TOO_LONG);
  EXPECT(gammond_read_question(text, &question) == GAMMOND_ERROR_TOO_LONG);
  EXPECT(gammond_free(text) == GAMMOND_ERROR_HANDLE);
  free(text);
  random_texts();

  // A rollout that its callback ends.
  question = start();
  question.settings = "trials=1000000 vr=off truncate=2";
  GammondRollout rollout = {.size = sizeof rollout};
  GammondRolledOut rows[3];
  int called = 0;
  EXPECT(gammond_rollout(engine, &question, stops, &called, &rollout, rows, sizeof rows[0], 3) == GAMMOND_OK);
  EXPECT(rollout.ended == 4 && rollout.candidates == 3 && called >= 2 && rows[0].trials > 0);

  const char *request = "4HPwATDgc/ABMA 31 top=1";
  size_t length = 0;
  EXPECT(gammond_ask(engine, request, strlen(request), 0, &answer, &length) == GAMMOND_OK && length < sizeof one_play);
  strcpy(one_play, answer);
  gammond_free(answer);
  // Threads of other languages have small stacks.
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  pthread_t threads[10];
  for (size_t number = 0; number < 10; number++) EXPECT(!pthread_create(&threads[number], &small, work, (void *)number));
  for (size_t number = 0; number < 10; number++) pthread_join(threads[number], NULL);

  EXPECT(gammond_close(engine) == GAMMOND_OK && gammond_close(engine) == GAMMOND_ERROR_HANDLE);
  printf("%d calls of ten threads\n", 10 * calls);
}
