// Plays a match of three points of the engine against itself, with request lines and structs.
//   c++ -std=c++17 game.cpp -lgammond && ./a.out
#include <gammond.h>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

static void check(GammondCode code) {
  if (code != GAMMOND_OK) throw std::runtime_error(gammond_error_text());
}

// An engine that is closed with its last user.
class Engine {
  uint64_t handle = 0;

public:
  explicit Engine(const char *settings) {
    GammondOptions options{};
    options.size = sizeof options;
    options.settings = settings;
    check(gammond_open(&options, &handle));
  }
  ~Engine() { gammond_close(handle); }
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  std::string ask(const std::string &lines) const {
    char *answer = nullptr;
    size_t length = 0;
    check(gammond_ask(handle, lines.data(), lines.size(), 0, &answer, &length));
    std::string text(answer, length);
    gammond_free(answer);
    return text;
  }
  GammondPlay best(const GammondQuestion &question) const {
    GammondPlay play;
    size_t count;
    check(gammond_best_plays(handle, &question, &play, sizeof play, 1, &count));
    return play;
  }
};

int main() try {
  const Engine engine("plies=0");
  std::cout << engine.ask("set answer=text\nversion\n");
  std::mt19937 dice(7);
  GammondQuestion question{};
  question.size = sizeof question;
  uint32_t score[2] = {0, 0};
  while (score[0] < 3 && score[1] < 3) {
    check(gammond_read_question("4HPwATDgc/ABMA", &question));
    question.match_length = 3;
    question.crawford = (score[0] == 2) != (score[1] == 2);
    for (int player = 0;; player = 1 - player) {
      question.my_score = score[player];
      question.opponent_score = score[1 - player];
      for (auto &die : question.dice) die = static_cast<uint8_t>(dice() % 6 + 1);
      const GammondPlay play = engine.best(question);
      if (play.wins) {
        score[player] += play.wins;
        break;
      }
      std::copy(std::begin(play.after), std::end(play.after), std::begin(question.points));
    }
    std::cout << score[0] << "-" << score[1] << "\n";
  }
} catch (const std::exception &error) {
  std::cerr << "error: " << error.what() << "\n";
  return 1;
}
