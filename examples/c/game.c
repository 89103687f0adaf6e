// Plays a game of the engine against itself and prints it.
//   cc game.c -lgammond && ./a.out [SEED]
#include <gammond.h>
#include <stdio.h>
#include <stdlib.h>

static void check(GammondCode code) {
  if (code != GAMMOND_OK) {
    fprintf(stderr, "error: %s\n", gammond_error_text());
    exit(1);
  }
}

int main(int count, char **arguments) {
  srand(count > 1 ? (unsigned)atoi(arguments[1]) : 1);
  uint64_t engine;
  check(gammond_open(NULL, &engine));

  GammondQuestion question = {.size = sizeof question};
  check(gammond_read_question("4HPwATDgc/ABMA", &question));

  int player = 0, turns = 0;
  for (;; player = !player) {
    // Before the roll: should the player on roll double?
    GammondCube cube = {.size = sizeof cube};
    check(gammond_cube(engine, &question, &cube));
    if (cube.should_double) {
      printf("%c doubles, %c %s\n", "XO"[player], "OX"[player], cube.should_take ? "takes" : "passes");
      if (!cube.should_take) break;
      question.cube *= 2;
      question.cube_owner = 2;
    }

    question.dice[0] = (uint8_t)(rand() % 6 + 1);
    question.dice[1] = (uint8_t)(rand() % 6 + 1);
    GammondPlay best;
    size_t plays;
    check(gammond_best_plays(engine, &question, &best, sizeof best, 1, &plays));
    printf("%c %d%d: %s\n", "XO"[player], question.dice[0], question.dice[1], best.steps ? best.text : "cannot move");
    turns++;
    if (best.wins) {
      printf("%c wins %d after %d turns\n", "XO"[player], (int)(best.wins * question.cube), turns);
      break;
    }

    // The board as the other player sees it; what was mine is his.
    for (int place = 0; place < 26; place++) question.points[place] = best.after[place];
    question.cube_owner = question.cube_owner == 0 ? 0 : 3 - question.cube_owner;
  }
  check(gammond_close(engine));
}
