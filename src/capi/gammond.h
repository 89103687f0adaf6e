// gammond: a backgammon engine. MIT OR Apache-2.0.
//
// Made by tools/capi/header of the crate gammond-capi. The document of this interface is protocol-specs/c.md.
//
// Every function may be called from any thread at any time, also many at once with one engine. A function returns
// GAMMOND_OK or the code of its failure; gammond_error_text() has the reason for the thread that called. Handles are
// numbers, never 0; one that is closed, or never was one, is a code. Structs of questions and answers begin with their
// size, which the caller sets to sizeof: later versions add members at the end, and both sides understand old and new ones.
// An address that is not NULL must point to as much memory as its type, size or length says. Texts end with a NUL unless a
// length stands beside them. After fork() the child opens an engine of its own.

#ifndef GAMMOND_H
#define GAMMOND_H

#include <stddef.h>
#include <stdint.h>

// The result of a function: 0, or the kind of its failure. `gammond_error_text` has the reason.
enum GammondCode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // The function did its work.
  GAMMOND_OK = 0,
  // A pointer is NULL that must not be.
  GAMMOND_ERROR_NULL = 1,
  // A handle is not one, or is closed.
  GAMMOND_ERROR_HANDLE = 2,
  // The member `size` of a struct, or the size of a row, is too small.
  GAMMOND_ERROR_SIZE = 3,
  // A text is not UTF-8.
  GAMMOND_ERROR_TEXT = 4,
  // A text or an answer is too long, or there are too many files.
  GAMMOND_ERROR_TOO_LONG = 5,
  // A value cannot be: a position, dice, a score, a setting, a match.
  GAMMOND_ERROR_VALUE = 6,
  // A file of nets, bearoff databases or match equities is missing or damaged.
  GAMMOND_ERROR_FILE = 7,
  // The work was stopped before there was an answer, or its time was over.
  GAMMOND_ERROR_STOPPED = 8,
  // The system refuses threads.
  GAMMOND_ERROR_SYSTEM = 9,
  // A fault of the library. It goes on with other calls.
  GAMMOND_ERROR_INTERNAL = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum GammondCode GammondCode;
#else
typedef int32_t GammondCode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A question about a position, seen by the player on roll. All members 0 but `size` and `points` are a money game with the
// cube in the middle. `gammond_read_question` fills it from an XGID, a Position ID or any other text of a
// position.
typedef struct GammondQuestion {
  // sizeof(GammondQuestion).
  uint32_t size;
  // points[0]: the opponent's bar (0 or negative). points[1] to points[24]: the points of the player on roll, his
  // checkers positive, the opponent's negative. points[25]: his bar. The rest of the 15 checkers is borne off.
  int8_t points[26];
  // The dice, 0 and 0 if none are thrown.
  uint8_t dice[2];
  // The cube: 1, 2, 4 to 4096; 0 stands for 1.
  uint32_t cube;
  // The owner of the cube: 0 neither, 1 the player on roll, 2 the opponent.
  uint32_t cube_owner;
  // Length of the match, to 255 points; 0 for a money game.
  uint32_t match_length;
  // Points of the player on roll.
  uint32_t my_score;
  // Points of the opponent.
  uint32_t opponent_score;
  // 1 in the Crawford game.
  uint8_t crawford;
  // 1 for a money game without Jacoby's rule.
  uint8_t no_jacoby;
  // 1 for a money game without beavers.
  uint8_t no_beavers;
  // 1 if `gammond_rollout` decides on the cube; 0 if it rolls out the best plays of the dice, without dice the position.
  uint8_t rollout_cube;
  // Settings of the line protocol with blanks between, such as "plies=2 filter=swift"; NULL for none. They are added to
  // those of `gammond_open`.
  const char *settings;
  // A handle of `gammond_stop_new`, by which another thread ends the work; 0 for none.
  uint64_t stop;
} GammondQuestion;

// Chances of a player, each 0 to 1. A gammon counts as a win too, a backgammon as a gammon too.
typedef struct GammondChances {
  // To win.
  float win;
  // To win a gammon.
  float win_gammon;
  // To win a backgammon.
  float win_backgammon;
  // To lose a gammon.
  float lose_gammon;
  // To lose a backgammon.
  float lose_backgammon;
} GammondChances;

// The value of a position for the player on roll, before the dice.
typedef struct GammondEvaluation {
  // sizeof(GammondEvaluation).
  uint32_t size;
  // Plies of look-ahead.
  uint32_t plies;
  // The chances.
  struct GammondChances chances;
  // 0.
  uint32_t reserved;
  // Equity with the cube where one is in play, else without: points, or in a match EMG.
  double equity;
  // Match winning chance; NAN in a money game.
  double mwc;
  // Equity without the cube.
  double cubeless;
  // Equity with the cube; NAN if none is in play.
  double cubeful;
} GammondEvaluation;

// A play and its value for the player who makes it.
typedef struct GammondPlay {
  // The play in words, such as "8/5 6/5" or "bar/22 6/5*"; empty if nothing can move.
  char text[48];
  // Position ID after the play, the opponent on roll.
  char position[16];
  // The points after the play as the opponent sees them, who is on roll: those of his question.
  int8_t after[26];
  // The number of steps, 0 to 4: a checker that moves twice has two.
  uint8_t steps;
  // Games that the play wins: 0 the game goes on, 1, 2 a gammon, 3 a backgammon.
  uint8_t wins;
  // Point that the checker of each step leaves: 1 to 24, 25 is the bar.
  uint8_t from[4];
  // Point that it reaches: 1 to 24, 0 is off.
  uint8_t to[4];
  // Plies of look-ahead.
  uint32_t plies;
  // Chances after the play.
  struct GammondChances chances;
  // 0.
  uint32_t reserved;
  // Equity: points, or in a match EMG.
  double equity;
  // Equity lost beside the best play.
  double loss;
  // Match winning chance; NAN in a money game.
  double mwc;
  // With the setting pr or elo the share of the people who choose it; else NAN.
  double share;
} GammondPlay;

// A cube decision: of the player on roll on a double, and of the opponent on its answer.
typedef struct GammondCube {
  // sizeof(GammondCube).
  uint32_t size;
  // Plies of look-ahead.
  uint32_t plies;
  // Chances of the player on roll.
  struct GammondChances chances;
  // 1 if the player on roll may double. Else there is no decision: the answers below are 0, the equities those of a double
  // that the rules forbid, and the verdict says that it is unknown.
  uint8_t may_double;
  // 1 if he should.
  uint8_t should_double;
  // 1 if the opponent should take.
  uint8_t should_take;
  // 1 if the opponent should beaver.
  uint8_t should_beaver;
  // Equity of no double: points in units of the cube before the double, or in a match EMG.
  double no_double;
  // Equity of a double that is taken.
  double double_take;
  // Equity of a double that is passed.
  double double_pass;
  // Equity of the best decisions of both.
  double equity;
  // Match winning chance by the best decisions of both; NAN in a money game.
  double mwc;
  // Equity without the cube.
  double cubeless;
  // The decision in words, such as "Double, take".
  char verdict[40];
} GammondCube;

// A player's figures in a match.
typedef struct GammondPlayer {
  // The player's name, as much as fits.
  char name[64];
  // Points at the end.
  uint32_t score;
  // Decisions that count for the error rate.
  uint32_t decisions;
  // Decisions that count for the performance rating.
  uint32_t counted;
  // 0.
  uint32_t reserved;
  // Equity lost by all decisions, EMG.
  double loss;
  // GNU Backgammon's error rate, thousandths a decision; NAN without decisions.
  double error_rate;
  // Performance rating; NAN without decisions.
  double performance;
  // Luck, EMG.
  double luck;
  // The result without the luck: points of a money session, else match winning chance above even.
  double luck_adjusted;
} GammondPlayer;

// The figures of an analysed match.
typedef struct GammondMatch {
  // sizeof(GammondMatch).
  uint32_t size;
  // Length of the match; 0 for money games.
  uint32_t length;
  // The number of games.
  uint32_t games;
  // The number of faults of the text, which the report lists.
  uint32_t faults;
  // Both players, in the order of the text.
  struct GammondPlayer players[2];
} GammondMatch;

// Options of `gammond_open`. All members 0 but `size` are the defaults.
typedef struct GammondOptions {
  // sizeof(GammondOptions).
  uint32_t size;
  // Threads that compute deep searches, rollouts and analyses, to 512; 0 for one a processor.
  uint32_t threads;
  // Megabytes of the cache, to 16384; 0 for 16. Answers do not depend on it.
  uint32_t cache_mb;
  // 0.
  uint32_t reserved;
  // "embedded" (or NULL), "embedded:fast", or the path of a net file, of a folder of them, or of GNU Backgammon's
  // weights.
  const char *nets;
  // A folder of bearoff databases beside those in the library; NULL for none.
  const char *bearoff;
  // Name or path of a match equity table; NULL for Kazaross-XG2.
  const char *met;
  // Settings of all questions, such as "plies=2"; NULL for none.
  const char *settings;
} GammondOptions;

// A file in memory.
typedef struct GammondFile {
  // Its name, such as "contact.net". It stands in errors.
  const char *name;
  // Its contents, which are copied.
  const uint8_t *bytes;
  // Their number.
  size_t length;
} GammondFile;

// The results of the games of one candidate of a rollout: the position, a play, no double, or a double that is taken.
typedef struct GammondRolledOut {
  // "position", "no double", "double, take", or the play in words.
  char name[48];
  // Position ID after the play, the opponent on roll; of other candidates the position's.
  char position[16];
  // The number of steps of the play.
  uint8_t steps;
  // 0.
  uint8_t reserved[3];
  // Point that the checker of each step leaves: 1 to 24, 25 is the bar.
  uint8_t from[4];
  // Point that it reaches: 1 to 24, 0 is off.
  uint8_t to[4];
  // Games played.
  uint32_t trials;
  // Win, win gammon, win backgammon, lose gammon, lose backgammon.
  double chances[5];
  // Standard error of each; like the other errors INFINITY below 72 games.
  double chance_errors[5];
  // Equity with the cube where one is in play, else without: points, or in a match EMG.
  double equity;
  // Standard error of it.
  double error;
  // Equity without the cube.
  double cubeless;
  // Standard error of it.
  double cubeless_error;
  // Match winning chance; NAN in a money game.
  double mwc;
  // Standard error of it.
  double mwc_error;
} GammondRolledOut;

// Called during a rollout with its results so far, `count` rows of `row_size` bytes, which are valid during the call.
// Returns 0 to go on, another number to end the rollout with these results. It is called from a thread of the library, one
// call at a time, at most 20 times a second. It may call the library; it must not throw or jump out.
typedef int (*GammondProgress)(void *user, const struct GammondRolledOut *rows, size_t row_size, size_t count);

// The end of a rollout.
typedef struct GammondRollout {
  // sizeof(GammondRollout).
  uint32_t size;
  // The number of candidates.
  uint32_t candidates;
  // 0 all games were played, 1 the errors are small enough, 2 one candidate leads clearly, 3 the time is over, 4 it was
  // stopped.
  uint32_t ended;
  // 1 if there is a cube decision, in `cube`.
  uint32_t has_cube;
  // The cube decision that follows from the games.
  struct GammondCube cube;
} GammondRollout;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Answers request lines of the line protocol, `length` bytes of them, by a line each: JSON, or as `set answer=` says. An
// error of a line is its answer; the function fails only if there is no answer. `answer` gets a text that
// `gammond_free` frees, `answer_length`, which may be NULL, its length. `stop` is a handle or 0.
GammondCode gammond_ask(uint64_t engine,
                        const char *text,
                        size_t length,
                        uint64_t stop,
                        char **answer,
                        size_t *answer_length);

// Frees a text that the library gave. NULL is allowed; any other address is a code.
GammondCode gammond_free(char *text);

// Values the position of the player on roll, before the dice; those of the question are not used.
GammondCode gammond_evaluate(uint64_t engine,
                             const struct GammondQuestion *question,
                             struct GammondEvaluation *evaluation);

// Ranks the plays of the dice, the best first. Writes as many of them as fit into `plays`, which has `capacity` rows of
// `play_size` bytes, sizeof(GammondPlay), and into `count` how many there are. Where nothing can move there is one
// without steps.
GammondCode gammond_best_plays(uint64_t engine,
                               const struct GammondQuestion *question,
                               struct GammondPlay *plays,
                               size_t play_size,
                               size_t capacity,
                               size_t *count);

// Decides on a double of the player on roll, and on its answer. The dice of the question are not used.
GammondCode gammond_cube(uint64_t engine, const struct GammondQuestion *question, struct GammondCube *cube);

// Returns the code of the last call of this thread that failed; GAMMOND_OK if none has.
GammondCode gammond_error_code(void);

// Returns the reason of the last call of this thread that failed, in one line; empty if none has. The text is valid until
// another call of this thread fails, or the thread ends.
const char *gammond_error_text(void);

// Analyses a match in any file form, `length` bytes of it. `settings` are those of `analyse`, such as "plies=1", or
// NULL; `stop` is a handle or 0. Writes the figures into `figures` and the report into `answer`, as `form` says: "json",
// "csv" or "html", NULL for json. Either may be NULL. The text of `answer` is freed by `gammond_free`. For a text with
// more than one match use `gammond_ask`.
GammondCode gammond_analyse(uint64_t engine,
                            const char *text,
                            size_t length,
                            const char *settings,
                            uint64_t stop,
                            struct GammondMatch *figures,
                            const char *form,
                            char **answer);

// Returns the number of the interface of this library: 1, more if functions or members have been added.
uint32_t gammond_interface(void);

// Returns the version of the library, such as "0.1.0". The text lasts.
const char *gammond_version(void);

// Opens an engine and writes its handle, never 0. `options` may be NULL.
GammondCode gammond_open(const struct GammondOptions *options, uint64_t *engine);

// Opens an engine with nets in memory: `count` files, which are copied. They take the place of the nets in `options`,
// which may be NULL.
GammondCode gammond_open_bytes(const struct GammondOptions *options,
                               const struct GammondFile *files,
                               size_t count,
                               uint64_t *engine);

// Closes an engine. Calls of other threads that use it end as usual; it is freed behind the last one.
GammondCode gammond_close(uint64_t engine);

// Writes the handle of a new stop: put it into questions, and call `gammond_stop` to end their work.
GammondCode gammond_stop_new(uint64_t *stop);

// Ends all work that has this stop, and all that gets it later. May be called from any thread.
GammondCode gammond_stop(uint64_t stop);

// Frees a stop. Work that has it goes on.
GammondCode gammond_stop_free(uint64_t stop);

// Reads the text of a position as a request of the line protocol has it: an XGID, a Position ID or any other form, with
// dice, cube and score in it or behind it, such as "4HPwATDgc/ABMA 31 length=7 score=3-2". Fills all members of `question`
// but `size`; its settings and its stop become 0, so settings of a search in the text are not kept.
GammondCode gammond_read_question(const char *text,
                                  struct GammondQuestion *question);

// Plays on many times: the position, the best plays of the dice (3, or as the setting top says), or with `rollout_cube` a
// cube decision. Writes the end into `rollout` and as many candidates as fit into `rows`, which has `capacity` rows of
// `row_size` bytes, sizeof(GammondRolledOut). `progress` may be NULL, `user` is its first argument. A rollout that is
// stopped ends with its results so far, or GAMMOND_ERROR_STOPPED if there are none.
GammondCode gammond_rollout(uint64_t engine,
                            const struct GammondQuestion *question,
                            GammondProgress progress,
                            void *user,
                            struct GammondRollout *rollout,
                            struct GammondRolledOut *rows,
                            size_t row_size,
                            size_t capacity);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GAMMOND_H */
