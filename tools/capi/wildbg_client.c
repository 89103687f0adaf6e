// A client of wildbg's header: plays games against random legal plays and checks each of its plays by the rules.
//   wildbg_client GAMES [away]
#include "wildbg.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Board[26];

static unsigned long long state = 88172645463325252ULL;
static unsigned random_below(unsigned limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state % limit);
}

static int highest(const Board board) {
  int place = 25;
  while (place > 0 && board[place] <= 0) place--;
  return place;
}

// Moves a checker with a die if the rules allow it.
static bool step(Board board, int from, int die, int *to) {
  if (from < 1 || from > 25 || board[from] <= 0) return false;
  if (board[25] > 0 && from != 25) return false;
  *to = from - die;
  if (*to <= 0) {
    if (highest(board) > 6 || (*to < 0 && highest(board) != from)) return false;
    *to = 0;
  } else if (board[*to] < -1) {
    return false;
  }
  board[from]--;
  if (*to > 0) {
    if (board[*to] == -1) {
      board[*to] = 0;
      board[0]--;
    }
    board[*to]++;
  }
  return true;
}

// The most dice that can be played, and with one of two the highest.
static int most(const Board board, const int *dice, int count, int *die) {
  int best = 0;
  for (int first = 0; first < count; first++) {
    int rest[4], others = 0;
    for (int other = 0; other < count; other++)
      if (other != first) rest[others++] = dice[other];
    for (int from = 1; from <= 25; from++) {
      Board after;
      int to, below = 0;
      memcpy(after, board, sizeof(Board));
      if (!step(after, from, dice[first], &to)) continue;
      int played = 1 + most(after, rest, others, &below);
      if (played > best || (played == best && dice[first] > *die)) *die = dice[first];
      if (played > best) best = played;
    }
    if (first + 1 < count && dice[first] == dice[first + 1]) break;
  }
  return best;
}

static int fails(const char *reason) {
  fprintf(stderr, "illegal: %s\n", reason);
  return 1;
}

// Plays the steps of a move on the board; 1 if they are against the rules.
static int play(Board board, const CMove *move, int die1, int die2) {
  int dice[4] = {die1, die2, die1, die1}, count = die1 == die2 ? 4 : 2, high = 0;
  int needed = most(board, dice, count, &high);
  if (move->detail_count != needed) return fails("number of steps");
  int used[4] = {0, 0, 0, 0};
  for (int number = 0; number < move->detail_count; number++) {
    CMoveDetail detail = move->details[number];
    int chosen = -1, to;
    // Of one step the higher die that can be played; else a die that fits exactly, or the smallest that bears off.
    for (int die = 0; die < count; die++) {
      int over = dice[die] - detail.from, fits = detail.from - dice[die] == detail.to || (detail.to == 0 && over > 0);
      if (used[die] || !fits || (needed == 1 && dice[die] != high)) continue;
      if (chosen < 0 || (over <= 0 && dice[chosen] > detail.from) || dice[die] < dice[chosen]) chosen = die;
    }
    if (chosen < 0) return fails(needed == 1 ? "the higher die could be played" : "no die for a step");
    used[chosen] = 1;
    if (!step(board, detail.from, dice[chosen], &to)) return fails("step");
  }
  return 0;
}

static void turn_round(Board board) {
  for (int place = 0; place < 13; place++) {
    int other = board[25 - place];
    board[25 - place] = -board[place];
    board[place] = -other;
  }
}

static int checkers(const Board board, int sign) {
  int count = 0;
  for (int place = 0; place < 26; place++)
    if (board[place] * sign > 0) count += board[place] * sign;
  return count;
}

// A random play: a random step for each die, in the order that plays more.
static void random_play(Board board, int die1, int die2) {
  int dice[4] = {die1, die2, die1, die1}, count = die1 == die2 ? 4 : 2;
  if (count == 2 && random_below(2)) dice[0] = die2, dice[1] = die1;
  for (int die = 0; die < count; die++) {
    for (int tries = 0; tries < 200; tries++) {
      int to;
      if (step(board, 1 + (int)random_below(25), dice[die], &to)) break;
    }
  }
}

int main(int argument_count, char **arguments) {
  int games = argument_count > 1 ? atoi(arguments[1]) : 100;
  unsigned away = argument_count > 2 ? (unsigned)atoi(arguments[2]) : 0;
  Wildbg *wildbg = wildbg_new();
  if (!wildbg) return fails("wildbg_new");
  BgConfig config = {away, away};
  int won = 0, turns = 0;
  for (int game = 0; game < games; game++) {
    Board board = {0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0};
    for (int player = game % 2;; player = !player, turns++) {
      int die1 = 1 + (int)random_below(6), die2 = 1 + (int)random_below(6);
      if (player == 0) {
        CProbabilities chances = probabilities(wildbg, (const int (*)[26])&board);
        if (!(chances.win >= 0 && chances.win <= 1)) return fails("chances");
        CCubeInfo cube = cube_info(wildbg, (const int (*)[26])&board, &config);
        if (chances.win < 0.3f && cube.should_double) return fails("double");
        CMove move = best_move(wildbg, (const int (*)[26])&board, (unsigned)die1, (unsigned)die2, &config);
        if (play(board, &move, die1, die2)) return 1;
      } else {
        random_play(board, die1, die2);
      }
      if (checkers(board, 1) == 0) {
        won += player == 0;
        break;
      }
      turn_round(board);
    }
  }
  wildbg_free(wildbg);
  printf("%d legal games of %d turns, %d won\n", games, turns, won);
  return won * 10 < games * 9 ? fails("it should beat random plays") : 0;
}
