// gammond for C#: the functions of gammond.h by P/Invoke, and a class for the usual ones. Part of the NuGet package.
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Gammond {
  public sealed class GammondException : Exception {
    public int Code { get; }
    internal GammondException(int code) : base(Marshal.PtrToStringAnsi(Native.gammond_error_text())) { Code = code; }
  }

  [StructLayout(LayoutKind.Sequential)]
  public struct Chances {
    public float Win, WinGammon, WinBackgammon, LoseGammon, LoseBackgammon;
  }

  [StructLayout(LayoutKind.Sequential)]
  public struct Question {
    internal uint size;
    [MarshalAs(UnmanagedType.ByValArray, SizeConst = 26)] public sbyte[] Points;
    [MarshalAs(UnmanagedType.ByValArray, SizeConst = 2)] public byte[] Dice;
    public uint Cube, CubeOwner, MatchLength, MyScore, OpponentScore;
    public byte Crawford, NoJacoby, NoBeavers, RolloutCube;
    [MarshalAs(UnmanagedType.LPStr)] public string Settings;
    public ulong Stop;

    /// Reads any text of a position, such as an XGID, with dice and score behind it.
    public static Question Parse(string text) {
      var question = new Question { size = (uint)Marshal.SizeOf(typeof(Question)) };
      Native.Check(Native.gammond_read_question(text, ref question));
      return question;
    }
  }

  [StructLayout(LayoutKind.Sequential, CharSet = CharSet.Ansi)]
  public struct Play {
    [MarshalAs(UnmanagedType.ByValTStr, SizeConst = 48)] public string Text;
    [MarshalAs(UnmanagedType.ByValTStr, SizeConst = 16)] public string Position;
    [MarshalAs(UnmanagedType.ByValArray, SizeConst = 26)] public sbyte[] After;
    public byte Steps, Wins;
    [MarshalAs(UnmanagedType.ByValArray, SizeConst = 4)] public byte[] From;
    [MarshalAs(UnmanagedType.ByValArray, SizeConst = 4)] public byte[] To;
    public uint Plies;
    public Chances Chances;
    internal uint reserved;
    public double Equity, Loss, Mwc, Share;
  }

  static class Native {
    const string Library = "gammond";
    [DllImport(Library)] internal static extern int gammond_open(IntPtr options, out ulong engine);
    [DllImport(Library)] internal static extern int gammond_close(ulong engine);
    [DllImport(Library)] internal static extern IntPtr gammond_error_text();
    [DllImport(Library)] internal static extern int gammond_free(IntPtr text);
    [DllImport(Library)] internal static extern int gammond_ask(ulong engine, byte[] text, UIntPtr length, ulong stop,
        out IntPtr answer, out UIntPtr answerLength);
    [DllImport(Library)] internal static extern int gammond_read_question(
        [MarshalAs(UnmanagedType.LPStr)] string text, ref Question question);
    [DllImport(Library)] internal static extern int gammond_best_plays(ulong engine, ref Question question,
        [Out] Play[] plays, UIntPtr playSize, UIntPtr capacity, out UIntPtr count);

    internal static void Check(int code) {
      if (code != 0) throw new GammondException(code);
    }
  }

  /// An engine with its nets inside. It may be used from many threads.
  public sealed class Engine : IDisposable {
    ulong handle;

    public Engine() { Native.Check(Native.gammond_open(IntPtr.Zero, out handle)); }

    public void Dispose() {
      if (handle != 0) Native.gammond_close(handle);
      handle = 0;
    }

    /// Answers lines of the request protocol, such as "cube 4HPwATDgc/ABMA plies=2".
    public string Ask(string lines) {
      var bytes = Encoding.UTF8.GetBytes(lines);
      IntPtr answer;
      UIntPtr length;
      Native.Check(Native.gammond_ask(handle, bytes, (UIntPtr)bytes.Length, 0, out answer, out length));
      var text = new byte[(int)length];
      Marshal.Copy(answer, text, 0, text.Length);
      Native.gammond_free(answer);
      return Encoding.UTF8.GetString(text);
    }

    /// Ranks the plays of the dice, best first, at most `most` of them.
    public Play[] BestPlays(Question question, int most = 64) {
      var plays = new Play[most];
      UIntPtr count;
      var size = (UIntPtr)Marshal.SizeOf(typeof(Play));
      Native.Check(Native.gammond_best_plays(handle, ref question, plays, size, (UIntPtr)most, out count));
      Array.Resize(ref plays, Math.Min(most, (int)count));
      return plays;
    }
  }
}
