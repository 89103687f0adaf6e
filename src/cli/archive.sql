CREATE TABLE players (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE matches (
  id INTEGER PRIMARY KEY,
  checksum TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,
  length INTEGER NOT NULL,
  games INTEGER NOT NULL,
  level TEXT NOT NULL,
  nets TEXT NOT NULL,
  met TEXT NOT NULL,
  faults INTEGER NOT NULL
) STRICT;
CREATE TABLE sides (
  match INTEGER NOT NULL REFERENCES matches,
  side INTEGER NOT NULL CHECK (side IN (0, 1)),
  player INTEGER NOT NULL REFERENCES players,
  score INTEGER NOT NULL,
  result REAL,
  luck_adjusted_result REAL,
  moves INTEGER NOT NULL,
  unforced INTEGER NOT NULL,
  cube_decisions INTEGER NOT NULL,
  close INTEGER NOT NULL,
  decisions INTEGER NOT NULL,
  counted INTEGER NOT NULL,
  play_loss REAL,
  cube_loss REAL,
  loss REAL,
  cost REAL,
  luck REAL,
  luck_cost REAL,
  error_rate REAL,
  snowie REAL,
  pr REAL,
  fibs_rating REAL,
  PRIMARY KEY (match, side)
) STRICT, WITHOUT ROWID;
CREATE INDEX sides_of_player ON sides (player);
CREATE TABLE decisions (
  match INTEGER NOT NULL REFERENCES matches,
  number INTEGER NOT NULL,
  game INTEGER NOT NULL,
  move INTEGER NOT NULL,
  side INTEGER NOT NULL,
  kind TEXT NOT NULL,
  position TEXT NOT NULL,
  roll TEXT,
  played TEXT NOT NULL,
  best TEXT NOT NULL,
  loss REAL,
  loss_mwc REAL,
  luck REAL,
  luck_mwc REAL,
  forced INTEGER NOT NULL,
  close INTEGER NOT NULL,
  phase TEXT NOT NULL,
  class TEXT NOT NULL,
  PRIMARY KEY (match, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE digests (
  match INTEGER PRIMARY KEY REFERENCES matches,
  sha256 TEXT NOT NULL
) STRICT;
CREATE TABLE dates (
  match INTEGER PRIMARY KEY REFERENCES matches,
  played TEXT NOT NULL
) STRICT;
CREATE TABLE filings (
  match INTEGER PRIMARY KEY REFERENCES matches,
  filed TEXT NOT NULL
) STRICT;
CREATE TABLE owners (
  match INTEGER NOT NULL REFERENCES matches,
  owner TEXT NOT NULL,
  PRIMARY KEY (match, owner)
) STRICT, WITHOUT ROWID;
CREATE TABLE found_by (
  match INTEGER NOT NULL REFERENCES matches,
  number INTEGER NOT NULL,
  pr REAL NOT NULL,
  share REAL NOT NULL,
  PRIMARY KEY (match, number, pr)
) STRICT, WITHOUT ROWID;
CREATE TABLE variants (
  match INTEGER PRIMARY KEY REFERENCES matches,
  variant TEXT NOT NULL
) STRICT;
CREATE VIEW history AS
SELECT players.name, own.match, matches.file, other_name.name AS against, matches.length, matches.level, own.score,
  other.score AS against_score, own.result, own.decisions, own.counted, own.loss, own.luck, own.error_rate, own.pr
FROM sides AS own
JOIN sides AS other ON other.match = own.match AND other.side = 1 - own.side
JOIN players ON players.id = own.player
JOIN players AS other_name ON other_name.id = other.player
JOIN matches ON matches.id = own.match;
