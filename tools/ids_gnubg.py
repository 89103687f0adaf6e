"""States of games that an installed gnubg plays against itself, pending offers among them, as IDs.

    COUNT=3000 SEED=1 OUT=states.txt gnubg -t -q -r -p ids_gnubg.py < /dev/null
"""
import os, random
import gnubg

rng = random.Random(int(os.environ.get('SEED', '1')))
count = int(os.environ.get('COUNT', '3000'))
out = open(os.environ['OUT'], 'w')
run = gnubg.command
for line in ('set threads 1', 'set seed %d' % rng.randrange(1 << 30), 'set automatic roll off', 'set automatic game off',
             'set automatic move off', 'set automatic bearoff off', 'set confirm new off', 'set confirm save off', 'set output mwc off',
             'set player 0 human', 'set player 1 human', 'set evaluation chequerplay evaluation plies 0', 'set evaluation cubedecision evaluation plies 0', 'set beavers 3', 'set display off'):
    run(line)
written = 0
kinds = {}

def note(kind):
    global written
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
print(kinds)
