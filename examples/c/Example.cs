// A game in C#: mcs Example.cs Gammond.cs && mono Example.exe, or a project with the NuGet package.
using System;
using Gammond;

static class Example {
  static void Main() {
    using (var engine = new Engine()) {
      var question = Question.Parse("4HPwATDgc/ABMA");
      var random = new Random(1);
      for (int turn = 1;; turn++) {
        question.Dice = new[] { (byte)random.Next(1, 7), (byte)random.Next(1, 7) };
        var best = engine.BestPlays(question, 1)[0];
        if (best.Wins > 0) {
          Console.WriteLine("C#: a game of {0} turns", turn);
          break;
        }
        question.Points = best.After;
      }
      Console.Write(engine.Ask("ping\n"));
      try {
        Question.Parse("hello");
      } catch (GammondException error) {
        Console.WriteLine("code {0}: {1}", error.Code, error.Message);
      }
    }
  }
}
