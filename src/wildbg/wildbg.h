/* wildbg's C interface, over gammond's engine: the names and structs of wildbg's own header, written anew, so that a
 * program built with either header links this library. MIT OR Apache-2.0. Its document is protocol-specs/c.md. */
#ifndef WILDBG_H
#define WILDBG_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An engine. It may be used from many threads. */
typedef struct Wildbg Wildbg;

/* Points away of x, the player on roll, and of o; 0 and 0 for a money game. */
typedef struct BgConfig {
  unsigned int x_away;
  unsigned int o_away;
} BgConfig;

/* A step of one checker: `from` is 25 for the bar, `to` is 0 for off. */
typedef struct CMoveDetail {
  int from;
  int to;
} CMoveDetail;

/* A play; without steps if nothing can move. A checker that moves twice has two steps. */
typedef struct CMove {
  CMoveDetail details[4];
  int detail_count;
} CMove;

/* Chances of x; gammons have the backgammons among them. */
typedef struct CProbabilities {
  float win;
  float win_g;
  float win_bg;
  float lose_g;
  float lose_bg;
} CProbabilities;

/* A cube decision with a centred cube. Older headers have the first two members alone. */
typedef struct CCubeInfo {
  bool should_double;
  bool should_accept;
  float equity_cubeless;
  float equity_no_double;
  float equity_double_take;
} CCubeInfo;

/* Opens an engine with the nets in the library. */
Wildbg *wildbg_new(void);

/* Opens an engine with the nets at a path, NULL if they cannot be read. Not in wildbg's own header. */
Wildbg *wildbg_new_from_path(const char *path);

/* Closes an engine. */
void wildbg_free(Wildbg *wildbg);

/* The checkers of x are positive and move from 24 to 1, pips[25] is his bar; those of o are negative, pips[0] is his bar. */
CMove best_move(const Wildbg *wildbg, const int (*pips)[26], unsigned int die1, unsigned int die2, const BgConfig *config);

CProbabilities probabilities(const Wildbg *wildbg, const int (*pips)[26]);

CCubeInfo cube_info(const Wildbg *wildbg, const int (*pips)[26], const BgConfig *config);

#ifdef __cplusplus
}
#endif

#endif /* WILDBG_H */
