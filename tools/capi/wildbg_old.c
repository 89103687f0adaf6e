// A client of an older wildbg header, whose CCubeInfo ends behind its second member.
#include <stdbool.h>
#include <stdio.h>

typedef struct Wildbg Wildbg;
typedef struct BgConfig {
  unsigned int x_away;
  unsigned int o_away;
} BgConfig;
typedef struct CCubeInfo {
  bool double_;
  bool accept;
} CCubeInfo;
Wildbg *wildbg_new(void);
void wildbg_free(Wildbg *wildbg);
CCubeInfo cube_info(const Wildbg *wildbg, const int (*pips)[26], const BgConfig *config);

int main(void) {
  const int start[26] = {0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0};
  // A race in which x is far ahead, and its other side.
  const int ahead[26] = {[1] = 3, [2] = 3, [3] = 4, [4] = 3, [17] = -5, [18] = -5, [19] = -5};
  const int behind[26] = {[6] = 5, [7] = 5, [8] = 5, [21] = -3, [22] = -4, [23] = -3, [24] = -3};
  const BgConfig money = {0, 0};
  Wildbg *wildbg = wildbg_new();
  CCubeInfo first = cube_info(wildbg, &start, &money);
  CCubeInfo second = cube_info(wildbg, &ahead, &money);
  CCubeInfo third = cube_info(wildbg, &behind, &money);
  wildbg_free(wildbg);
  printf("older header: %d%d %d%d %d%d\n", first.double_, first.accept, second.double_, second.accept, third.double_, third.accept);
  return !(!first.double_ && first.accept && !second.accept && !third.double_ && third.accept);
}
