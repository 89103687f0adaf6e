//! Text and ids to and from `game` types: position id and key, match id, XGID, play text, FIBS
//! board line, benchmark lines, match files. One form a file; all parsers are nom.
