"""Rules, notation, games and match files."""

import gzip
import pickle
import random
from pathlib import Path

import pytest

import gammond
from gammond import Engine, Game, Match, MatchPlay, MatchState, Play, Position, Roll


def test_opening_has_the_known_plays() -> None:
    plays = Position().legal_plays("31")
    assert len(plays) == 16
    assert "8/5 6/5" in map(str, plays)
    assert all(play.before == Position() for play in plays)


@pytest.mark.parametrize("form", ["position-id", "gnubg-id", "key", "xgid", "board", "ogid"])
def test_every_form_reads_back(form: str) -> None:
    state = MatchState(7, (3, 2), cube=2, owner="me")
    for text in ("4HPwATDgc/ABMA", "sGfwATDgc/ABMA", "AAAAAgAAAAAAAA"):
        position = Position.parse(text)
        written = position.to_text(form, state, "52")
        found = gammond.parse(written)
        assert found.form == form
        assert found.position == position
        if form in ("gnubg-id", "xgid"):
            assert found.state is not None and found.state.score == (3, 2)
            assert found.roll == Roll(5, 2)


def test_values_pickle_and_hash() -> None:
    play = Position().legal_plays("31")[3]
    for value in (Position(), play, Roll(3, 1), MatchState(7, (6, 2), crawford=True)):
        assert pickle.loads(pickle.dumps(value)) == value
        assert len({value, pickle.loads(pickle.dumps(value))}) == 1


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: Position.parse("hello"), "text"),
        (lambda: Roll(7, 1), "first"),
        (lambda: Roll(1, 0), "second"),
        (lambda: Position().legal_plays("77"), "roll"),
        (lambda: Position([16], [1]), "me"),
        (lambda: Position([1], [0] * 23 + [1]), "me, opponent"),
        (lambda: MatchState(cube=3), "cube"),
        (lambda: MatchState(5, (5, 0)), "score"),
        (lambda: MatchState(owner="him"), "owner"),
        (lambda: Position().to_text("fen"), "form"),
        (lambda: Position().svg(theme="pink"), "theme"),
        (lambda: Position().play("31", "24/1"), "text"),
        (lambda: Position().swapped().apply(Position.parse("sGfwATDgc/ABMA").legal_plays("31")[0]), "play"),
    ],
)
def test_wrong_values_name_the_argument(call, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()


def test_wrong_types_name_the_argument() -> None:
    with pytest.raises(TypeError, match="^roll: "):
        Position().legal_plays(3.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^opponent: "):
        Position([1])


def test_pictures() -> None:
    assert Position()._repr_svg_().startswith("<svg")
    assert Position().legal_plays("31")[0]._repr_svg_().startswith("<svg")
    for shown in (Position(), Position().legal_plays("31")[0], Game(seed=1), MatchPlay(3, seed=1)):
        assert shown._repr_svg_().startswith("<svg") and shown._repr_png_().startswith(b"\x89PNG\r\n")
    assert Position().svg(theme="dark") != Position().svg(theme="light")


def play_out(seed: int, state: MatchState | None = None) -> Game:
    game = Game(state, seed=seed)
    while not game.is_over:
        game.roll()
        plays = game.legal_plays()
        game.play(plays[len(game.actions) % len(plays)])
    return game


def test_game_is_played_to_its_end_and_taken_back() -> None:
    game = play_out(5)
    assert game.result is not None and game.result[1] in (1, 2, 3)
    with pytest.raises(ValueError, match="^game: it is over"):
        game.roll()
    while game._past:
        game.undo()
    assert game.position == Position() and game.actions == [] and game.player == 0


def test_finished_game_is_seen_by_its_winner() -> None:
    for seed in range(4):
        game = play_out(seed, MatchState(7, (2, 1)))
        winner, points = game.result
        assert game.player == winner and game.position.outcome() == points and game.position.off[0] == 15
        assert game.state.score == ((2, 1) if winner == 0 else (1, 2))
        game.undo()
        assert not game.is_over and game.player == winner and game.dice is not None


def test_first_roll_decides_who_begins_unless_the_dice_are_set() -> None:
    for seed in range(20):
        thrown, given = Game(seed=seed), Game()
        first, second = thrown.roll().dice
        assert first != second and thrown.player == int(first < second)
        given.roll((first, second))
        assert given.player == 0


def test_cube_of_a_game() -> None:
    game = Game(seed=1)
    game.roll("31")
    game.play("8/5 6/5")
    game.double()
    with pytest.raises(ValueError, match="not answered"):
        game.roll()
    game.take()
    assert game.state.cube == 2 and game.state.owner == "opponent"
    with pytest.raises(ValueError, match="owns"):
        game.double()
    game.undo()
    game.pass_()
    assert game.result == (1, 1)
    # CUBE-07: a cube that wins the match already is dead.
    game = Game(MatchState(3, (0, 2)), seed=1)
    game.roll("31")
    game.play("8/5 6/5")
    with pytest.raises(ValueError, match="wins the match already"):
        game.double()
    assert game.state.double_refusal and MatchState(3, (0, 2)).double_refusal is None


def test_beavers_and_raccoons_are_answered_in_turn() -> None:
    game = Game(seed=1)
    game.roll("31")
    game.play("8/5 6/5")
    with pytest.raises(ValueError, match="^game: there is no double to answer"):
        game.take()
    game.double()
    game.beaver()
    assert game.is_doubled and (game.player, game.actor, game.state.cube) == (1, 1, 1)
    game.pass_()
    # The beaver has taken the double.
    assert game.result == (0, 2)
    game.undo()
    game.beaver()
    game.take()
    assert game.result is None and (game.state.cube, game.state.owner) == (8, "opponent")
    kinds = [(player, kind, value) for player, kind, value in game.actions if kind != "play"]
    assert kinds == [(1, "double", 2), (0, "beaver", 4), (1, "beaver", 8), (0, "take", None)]
    for state, reason in [(MatchState(7), "a match has no beavers"), (MatchState(beavers=False), "without beavers")]:
        game = Game(state, seed=1)
        game.roll("31")
        game.play("8/5 6/5")
        game.double()
        with pytest.raises(ValueError, match=reason):
            game.beaver()


def test_resignation_is_declined_or_accepted() -> None:
    game = Game(MatchState(jacoby=False), seed=1)
    with pytest.raises(ValueError, match="^game: the first roll comes now"):
        game.resign()
    game.roll("31")
    with pytest.raises(ValueError, match="^margin: 4"):
        game.resign(4)
    game.resign(2)
    assert (game.resigned, game.player, game.actor) == (2, 0, 1)
    with pytest.raises(ValueError, match="^game: the resignation is not answered"):
        game.resign(3)
    game.decline()
    assert game.resigned is None and game.dice is not None
    game.resign(2)
    game.accept()
    assert game.result == (1, 2) and game.player == 1 and game.actions == []
    game.undo()
    assert game.resigned == 2 and not game.is_over


def test_points_follow_the_cube_and_jacobys_rule() -> None:
    assert [MatchState().points(margin) for margin in (1, 2, 3)] == [1, 1, 1]
    assert [MatchState(cube=2, owner="me").points(margin) for margin in (1, 2, 3)] == [2, 4, 6]
    assert MatchState(5).points(3) == 3
    with pytest.raises(ValueError, match="^margin: 4"):
        MatchState().points(4)


def test_match_files_read_back() -> None:
    match = Match(0, ("Ann", "Bob"))
    games = [play_out(seed) for seed in range(3)]
    for game in games:
        match.add(game)
    [read] = Match.read(match.to_mat().encode())
    assert read.names == ("Ann", "Bob") and read.faults == []
    assert [game["result"] for game in read.games] == [game.result for game in games]
    plays = [[action for action in game["actions"]] for game in read.games]
    for mine, game in zip(plays, games):
        texts = [sorted(value[1]) for _, kind, value in mine if kind == "play"]
        # A pass at the end of a line may be left out; steps are those that were played.
        assert texts == [sorted(value.steps) for _, kind, value in game.actions if kind == "play"]
    [sgf] = Match.read(match.to_sgf().encode())
    assert [game["result"] for game in sgf.games] == [game.result for game in games]
    [ogxm] = Match.read(match.to_ogxm())
    assert len(ogxm) == 3
    with pytest.raises(ValueError, match="^source: "):
        Match.read(b"no match")


def smile(value: object) -> bytes:
    """JSON in Smile's encoding, as BGBlitz packs it; numbers as texts, as it writes most of them."""
    if isinstance(value, dict):
        members = [bytes([0x7F + len(key)]) + key.encode() + smile(member) for key, member in value.items()]
        return b"\xfa" + b"".join(members) + b"\xfb"
    if isinstance(value, list):
        return b"\xf8" + b"".join(map(smile, value)) + b"\xf9"
    text = str(value).encode()
    return bytes([0x3F + len(text)]) + text


def bgf(match: dict[str, object]) -> bytes:
    return b'{"format":"BGF","version":"1.0"}\n' + gzip.compress(b":)\n\0" + smile(match))


def test_bgf_files_are_read(tmp_path: Path) -> None:
    def move(player: int, dice: str, steps: list[tuple[int, int]]) -> dict[str, object]:
        padded = steps + [(-1, -1)] * (4 - len(steps))
        ways = {"from": [start for start, _ in padded], "to": [end for _, end in padded]}
        return {"player": player, "red": dice[0], "green": dice[1], **ways}

    moves = [move(-1, "31", [(8, 5), (6, 5)]), move(1, "42", [(8, 4), (6, 4)]), move(-1, "65", [(24, 18), (18, 13)])]
    match = {"matchlen": 5, "nameGreen": "Ann", "nameRed": "Bob", "games": [{"scoreGreen": 0, "scoreRed": 0, "moves": moves}]}
    file = tmp_path / "a.bgf"
    file.write_bytes(bgf(match))
    for source in (bgf(match), file, str(file)):
        [read] = Match.read(source)
        assert (read.length, read.names, read.faults) == (5, ("Ann", "Bob"), [])
        actions = [(player, kind, str(value[0])) for player, kind, value in read.games[0]["actions"]]
        assert actions == [(0, "play", "31"), (1, "play", "42"), (0, "play", "65")]
    analysis = Engine(threads=1, cache_mb=1).analyse(read, plies=0)
    assert "Ann 0, Bob 0, analysed at 0-ply" in analysis.text()
    # What unpacks to far more than it is, and lists within lists.
    head = b'{"format":"BGF"}\n'
    for data in (head + gzip.compress(b":)\n\0\xfa" + bytes(100 << 20)), head + b":)\n\0\xfa\x84games" + b"\xf8" * 100_000):
        with pytest.raises(ValueError, match="^source: .*BGF file (unpacks to more than|is damaged)"):
            Match.read(data)


def test_play_is_a_value() -> None:
    one, other = Position().play("31", "8/5 6/5"), Position().play("13", "6/5 8/5")
    assert isinstance(one, Play) and one.after == other.after


def play_match(length: int, seed: int) -> MatchPlay:
    """A match of random plays, in which now and then a player doubles."""
    match, chance = MatchPlay(length, ("Ann", "Bob"), seed), random.Random(seed)
    while not match.is_over:
        game = match.next_game() if match.game.is_over else match.game
        if game.is_doubled:
            chance.choice((game.take, game.pass_))()
        elif game.dice is not None:
            game.play(chance.choice(game.legal_plays()))
        elif game.actions and game.state.double_refusal is None and chance.random() < 0.02:
            game.double()
        else:
            game.roll()
    return match


def test_match_keeps_score_and_the_crawford_rule() -> None:
    for seed in range(12):
        match = play_match(5, seed)
        score, crawford = [0, 0], 0
        for game, start in zip(match.games, match._before):
            before, is_crawford = start.points, start.crawford
            assert before == tuple(score) and is_crawford == (max(score) == 4 and not crawford)
            crawford += is_crawford
            states = [moment.state for moment in game._past]
            seen = [moment.state.score if moment.player == 0 else moment.state.score[::-1] for moment in game._past]
            assert all(one == before for one in seen), (before, seen)
            assert all(state.crawford == is_crawford for state in states)
            assert not is_crawford or all(kind == "play" for _, kind, _ in game.actions)
            score[game.result[0]] += game.result[1]
        assert match.score == tuple(score) and max(score) >= 5 and match.winner == int(score[1] >= 5)
        with pytest.raises(ValueError, match="^match: it is over"):
            match.next_game()


def test_match_is_written_and_read_back() -> None:
    match = play_match(7, 3)
    [read] = Match.read(match.to_match().to_mat().encode())
    assert read.length == 7 and read.names == ("Ann", "Bob") and read.faults == []
    assert [game["result"] for game in read.games] == [game.result for game in match.games]
    assert [game["scores"] for game in read.games] == [before.points for before in match._before]
    assert Engine(threads=1).analyse(match.to_match()) is not None


def test_engine_plays_a_match() -> None:
    match, engine, names = MatchPlay(3, seed=2), Engine(threads=1), set()
    with pytest.raises(ValueError, match="^match: the game is not over"):
        match.next_game()
    while not match.is_over:
        names.add(match.act(engine))
    assert names >= {"roll", "play"} and names <= {"roll", "play", "double", "take", "pass"}
    with pytest.raises(ValueError, match="^match: it is over"):
        match.act(engine)
    assert not MatchPlay(0, seed=1).is_over
    # Both players are one point away: that is not the Crawford game.
    single = MatchPlay(1, seed=1)
    while not single.is_over:
        single.act(engine)
    assert not single.games[0].state.crawford and len(single.games) == 1
    with pytest.raises(ValueError, match="^length: "):
        MatchPlay(100000)
