#!/usr/bin/env python3
"""States of games that an installed gnubg plays against itself, pending offers among them, as IDs, there and back.

    tools/ids_gnubg.py [COUNT [SEED [GAMMOND]]]     default 3000, 1, target/release/gammond; $OUT keeps the states

Inside gnubg (it starts itself there) games are played with doubles, beavers, raccoons and resignations, and IDs noted on the
way. Then `convert` reads each and must give back the Position ID, the Match ID and both together text for text; and gnubg reads
the XGID that `convert` gave, and must show what it shows for its own ID. An XGID says nothing of the points of
a money session and of who is which player, gnubg reads no `B` or `R` in it, and a state that is no game in progress has
none: these are compared without that, or counted as not asked. Fails on any difference, and with fewer than 50 beavers or
resignations in 3,000 states.
"""
import json
import os
import random
import subprocess
import sys
import tempfile


def play(gnubg):
    rng = random.Random(int(os.environ['SEED']))
    count = int(os.environ['COUNT'])
    out = open(os.environ['STATES'], 'w')
    run = gnubg.command
    for line in ('set threads 1', 'set seed %d' % rng.randrange(1 << 30), 'set automatic roll off', 'set automatic game off',
                 'set automatic move off', 'set automatic bearoff off', 'set confirm new off', 'set confirm save off', 'set output mwc off',
                 'set player 0 human', 'set player 1 human', 'set evaluation chequerplay evaluation plies 0', 'set evaluation cubedecision evaluation plies 0', 'set beavers 3', 'set display off'):
        run(line)
    written = 0
    kinds = {}

    def note(kind):
        nonlocal written
        try:
            ids = gnubg.matchid(), gnubg.positionid()
        except Exception:
            return
        out.write('%s:%s %s\n' % (ids[1], ids[0], kind))
        kinds[kind] = kinds.get(kind, 0) + 1
        written += 1

    while written < count:
        if rng.random() < .5:
            run('set jacoby %s' % rng.choice(['on', 'off']))
            run('new session')
            money = True
        else:
            run('new match %d' % rng.choice([1, 2, 3, 5, 7, 9, 13, 25, 64]))
            money = False
        for game in range(3):
            turns = 0
            over = False
            stop_at = rng.randrange(5, 60)
            while not over and turns < stop_at and written < count:
                turns += 1
                try:
                    gnubg.posinfo()
                    gnubg.cubeinfo()
                except Exception:
                    break
                if rng.random() < .3:
                    note('roll')
                if rng.random() < .25:
                    before = gnubg.matchid()
                    run('double')
                    if gnubg.matchid() != before:
                        note('double')
                        answer = rng.random()
                        if answer < .65:
                            middle = gnubg.matchid()
                            run('beaver' if money else 'accept')
                            if money and gnubg.matchid() != middle:
                                note('beaver')
                                if rng.random() < .3:
                                    third = gnubg.matchid()
                                    run('redouble')
                                    if gnubg.matchid() != third:
                                        note('raccoon')
                                if rng.random() < .2:
                                    run('decline'); note('pass'); over = True; break
                                run('accept'); note('taken')
                            elif money:
                                run('accept'); note('taken')
                            else:
                                note('taken')
                        elif answer < .9:
                            run('accept'); note('taken')
                        else:
                            run('decline'); note('pass'); over = True; break
                if rng.random() < .1:
                    before = gnubg.matchid()
                    run('resign %s' % rng.choice(['normal', 'gammon', 'backgammon']))
                    if gnubg.matchid() != before:
                        note('resigned')
                        if rng.random() < .2:
                            run('accept'); note('given-up'); over = True; break
                        run('decline')
                        note('declined')
                run('roll')
                note('rolled')
                try:
                    best = gnubg.findbestmove()
                except Exception:
                    best = None
                before = gnubg.positionid(), gnubg.matchid()
                if best:
                    parts = []
                    for i in range(0, len(best), 2):
                        a, b = best[i], best[i + 1]
                        parts.append('%s/%s' % ('bar' if a == 25 else a, 'off' if b <= 0 else b))
                    run('move ' + ' '.join(parts))
                else:
                    run('move')
                if (gnubg.positionid(), gnubg.matchid()) == before:
                    over = True
            if written >= count:
                break
            try:
                run('new game')
            except Exception:
                break
    out.close()


def read(gnubg):
    """What gnubg shows after it has read each ID."""
    run = gnubg.command
    for line in ('set confirm new off', 'set display off', 'set automatic roll off', 'set automatic game off', 'set automatic move off',
                 'set automatic bearoff off', 'set player 0 human', 'set player 1 human'):
        run(line)
    with open(os.environ['ASKED']) as asked, open(os.environ['SHOWN'], 'w') as shown:
        for line in asked:
            how, name = line.split()
            run('new session')
            run('set %s %s' % (how, name))
            shown.write('%s:%s\n' % (gnubg.positionid(), gnubg.matchid()))


def inside(what, **variables):
    environment = dict(os.environ, WHAT=what, PATH=os.environ['PATH'] + ':/usr/games', **variables)
    subprocess.run(['gnubg', '-t', '-q', '-r', '-p', os.path.abspath(__file__)], env=environment, check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'


def bits(match_id):
    """The fields of a Match ID, those of the players as the one on roll sees them; of money sessions without points."""
    digits = [LETTERS.index(letter) for letter in match_id]
    octets = []
    for at in range(0, 12, 4):
        word = digits[at] << 18 | digits[at + 1] << 12 | digits[at + 2] << 6 | digits[at + 3]
        octets += [word >> 16, word >> 8 & 255, word & 255]
    whole = int.from_bytes(bytes(octets), 'little')
    field = lambda at, width: whole >> at & (1 << width) - 1
    turn, owner, length = field(6, 1), field(4, 2), field(21, 15)
    scores = (field(36, 15), field(51, 15)) if length else (0, 0)
    if turn == 0:
        owner = {0: 1, 1: 0}.get(owner, owner)
        scores = scores[::-1]
    return (field(0, 4), owner, field(7, 1), field(8, 3), field(11, 1) ^ turn, field(12, 1), field(13, 2),
            tuple(sorted((field(15, 3), field(18, 3)))), length, scores, field(66, 1) if not length else 1)


def main():
    count, seed = (int(text) for text in (sys.argv[1:3] + ['3000', '1'][len(sys.argv[1:3]):]))
    gammond = sys.argv[3] if len(sys.argv) > 3 else 'target/release/gammond'
    # Where Debian has gnubg.
    os.environ["PATH"] += ":/usr/games"
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), 'needs'), __file__, 'gnubg', gammond]):
        sys.exit(3)
    folder = tempfile.mkdtemp()
    states = os.environ.get('OUT') or folder + '/states'
    inside('play', COUNT=str(count), SEED=str(seed), STATES=states)
    rows = [line.split() for line in open(states)]
    kinds = {}
    for _, kind in rows:
        kinds[kind] = kinds.get(kind, 0) + 1
    asked = ''.join('convert %s\n' % name for name, _ in rows)
    run = subprocess.run([gammond, 'pipe', '--threads', '1'], input=asked, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    wrong = [] if len(answers) == len(rows) else ['%d answers' % len(answers)]
    questions, wanted, untold = [], [], 0
    for (name, kind), answer in zip(rows, answers):
        if answer.get('gnubgid') != name or '%s:%s' % (answer.get('position'), answer.get('match')) != name:
            wrong.append('%s %s: convert says %s' % (name, kind, answer))
            continue
        # A pending answer but that to a plain double, and a state that is no game in progress, have none that gnubg reads.
        xgid = answer.get('xgid') or 'none'
        if xgid == 'none' or xgid.split(':')[4] in 'BR' or bits(answer['match'])[3] != 1 or bits(answer['match'])[6]:
            untold += 1
            continue
        questions += [('gnubgid', name), ('xgid', xgid)]
        wanted.append((name, kind, xgid))
    with open(folder + '/asked', 'w') as out:
        out.writelines('%s %s\n' % pair for pair in questions)
    inside('read', ASKED=folder + '/asked', SHOWN=folder + '/shown')
    shown = open(folder + '/shown').read().split()
    if len(shown) != len(questions):
        wrong.append('gnubg read %d of %d' % (len(shown), len(questions)))
    for (name, kind, by), own, ours in zip(wanted, shown[::2], shown[1::2]):
        (place, match), (our_place, our_match) = own.split(':'), ours.split(':')
        same = place == our_place and bits(match) == bits(our_match)
        if not same:
            wrong.append('%s %s: gnubg shows %s, and %s for %s' % (name, kind, own, ours, by))
    print('\n'.join(wrong[:20]))
    print('%d states %s: %d come back from convert text for text; of %d XGIDs gnubg reads the same state (%d have none for it); %d wrong'
          % (len(rows), kinds, sum(a.get('gnubgid') == n for (n, _), a in zip(rows, answers)), len(wanted), untold, len(wrong)))
    few = [kind for kind in ('beaver', 'resigned') if kinds.get(kind, 0) * 3000 < 50 * count]
    sys.exit('too few: %s' % few if few else bool(wrong))


if 'gnubg' in globals():
    (play if os.environ['WHAT'] == 'play' else read)(globals()['gnubg'])
elif __name__ == '__main__':
    main()
