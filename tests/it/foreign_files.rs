//! Files that people give in place of a match or a position: each error says what they are and what to do.

use crate::http::raw;
use crate::server::{Client, start};
use serde_json::Value;
use std::process::{Command, Output};

/// Files by their public signs: name, first bytes, kind. Behind them there is more, as in real files.
const FILES: &[(&str, &[u8], &str)] = &[
    (
        "match.tmg",
        b"MatchId: 1640240\nPlayer1: Ann\nPlayer2: Bob\nStake: 0.00\nLength: 5\n\nGame 1: 0-0\n",
        "a TrueMoneyGames match (.tmg)",
    ),
    (
        "positions.bm",
        b"m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133\n",
        "a benchmark file (.bm)",
    ),
    (
        "own.bm",
        b"s version gammond-0.1.0 weights gammond-contact-9 moves2plyLimit 20\n# more\n",
        "a benchmark file (.bm)",
    ),
    (
        "saved.txt",
        b"  opponent          matchlength   score (your points first)\n  ann                     5          1 - 3\n",
        "a list of saved matches on FIBS",
    ),
    ("gnubg.wd", b"\x69\x30\xec\x43\0\0\x80\x3f\xfa\0\0\0", "a weight file of gnubg (.wd)"),
    ("gnubg.weights", b"GNU Backgammon 1.01\n250 128 5 ", "a weight file of gnubg"),
    ("gnubg_os0.bd", b"gnubg-OS-06-15-1-1-0xxxxxxxxxx", "a bearoff database of gnubg (.bd)"),
    ("contact.net", b"GAMMNET\n\x01\0\0\0\xf4\x01\0\0", "a net of gammond (.net)"),
    ("race.safetensors", b"\x08\x02\0\0\0\0\0\0{\"__metadata__\":{}}", "a net (.safetensors)"),
    ("table.xml", b"<?xml version=\"1.0\"?>\n<met>\n<info>", "a match equity table (.xml)"),
    ("answer.json", b"{\"type\":\"move\",\"position\":\"4HPwATDgc/ABMA\"}\n", "an answer of gammond (JSON)"),
    ("photo.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0", "a JPEG picture"),
    ("board.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
    ("board.gif", b"GIF89a\x10\0\x10\0", "a GIF picture"),
    ("board.webp", b"RIFF\x24\0\0\0WEBPVP8 ", "a WebP picture"),
    ("board.tiff", b"II*\0\x08\0\0\0", "a TIFF picture"),
    ("board.bmp", b"BM\x36\x10\0\0\0\0\0\0\x36\0", "a BMP picture"),
    ("photo.heic", b"\0\0\0\x18ftypheic\0\0\0\0", "a HEIC picture"),
    ("board.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\">", "an SVG picture"),
    ("article.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
    ("article.ps", b"%!PS-Adobe-3.0\n", "a PostScript document"),
    ("match.docx", b"PK\x03\x04\x14\0\x06\0[Content_Types].xml PK\x03\x04 word/document.xml", "a Word document (.docx)"),
    ("match.xlsx", b"PK\x03\x04\x14\0\x06\0[Content_Types].xml PK\x03\x04 xl/workbook.xml", "an Excel workbook (.xlsx)"),
    ("match.odt", b"PK\x03\x04\x14\0\0\0mimetypeapplication/vnd.oasis.opendocument.text", "a LibreOffice document"),
    ("match.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an old Word or Excel file (.doc, .xls)"),
    ("match.rtf", b"{\\rtf1\\ansi 7 point match}", "an RTF document"),
    ("page.html", b"\n<!DOCTYPE html>\n<html><body>A page", "an HTML page"),
    ("feed.xml", b"<?xml version=\"1.0\"?>\n<rss>", "an XML document"),
    ("mail.eml", b"Return-Path: <ann@example.org>\nSubject: our match\n", "an e-mail"),
    ("matches.zip", b"PK\x03\x04\x14\0\0\0\x08\0ann-bob.mat", "a ZIP archive"),
    ("puretd.pt", b"PK\x03\x04\0\0\x08\x08archive/data.pkl", "a PyTorch file (.pt)"),
    ("match.mat.gz", b"\x1f\x8b\x08\0\0\0\0\0", "a gzip file"),
    ("match.mat.bz2", b"BZh91AY&SY", "a bzip2 file"),
    ("match.mat.xz", b"\xfd7zXZ\0\0\x04", "an xz file"),
    ("match.mat.zst", b"\x28\xb5\x2f\xfd\x04\0", "a zstd file"),
    ("matches.7z", b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z archive"),
    ("matches.rar", b"Rar!\x1a\x07\x01\0", "a RAR archive"),
    ("archive.sqlite", b"SQLite format 3\0\x10\0", "an SQLite database"),
    ("film.mp4", b"\0\0\0\x20ftypisom\0\0\x02\0", "a video"),
    ("song.mp3", b"ID3\x03\0\0\0\0", "a sound"),
    ("gammond.exe", b"MZ\x90\0\x03\0\0\0", "a program"),
    ("gammond.elf", b"\x7fELF\x02\x01\x01\0", "a program"),
    ("script.sh", b"#!/bin/sh\necho 7 points\n", "a script"),
    ("notes.json", b"[{\"a\": 1}]\n", "JSON"),
    ("empty.mat", b"", "an empty file"),
    ("unknown.dat", b"abc\0\x01\x02", "binary data of no known kind"),
];

/// The bytes of a file: its first ones, and what no reader takes for a match.
fn whole(head: &[u8]) -> Vec<u8> {
    let rest = [b'\x01', b'z', b'\n'].repeat(300);
    if head.is_empty() {
        Vec::new()
    } else {
        [head, &rest].concat()
    }
}

/// Returns true if a line names the kind and says what to do.
fn names(said: &str, kind: &str) -> bool {
    let advice = said.split_once(&format!("is {kind}: "));
    advice.is_some_and(|(_, advice)| advice.len() > 10) && !said.contains('\n')
}

fn gammond(folder: &std::path::Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command.current_dir(folder).args(words).output().unwrap()
}

/// MAT-60: `analyse` of the files.
#[test]
fn foreign_files_are_named_by_analyse_and_show() {
    assert!(FILES.len() >= 25);
    let folder = tempfile::tempdir().unwrap();
    for (name, head, _) in FILES {
        std::fs::write(folder.path().join(name), whole(head)).unwrap();
    }
    let files: Vec<&str> = FILES.iter().map(|(name, ..)| *name).collect();
    let output = gammond(
        folder.path(),
        &[&["analyse", "--format", "json"], &files[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(3));
    let lines = String::from_utf8(output.stdout).unwrap();
    let errors: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(errors.len(), FILES.len(), "{lines}");
    for (name, head, kind) in FILES {
        let error = errors.iter().find(|error| error["file"] == *name).unwrap();
        let message = error["message"].as_str().unwrap();
        assert!(
            names(message, kind) && error["code"] == "bad-match-file",
            "{name}: {message}"
        );
        if head.is_empty() {
            continue;
        }
        let output = gammond(folder.path(), &["show", name]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(
            names(said.trim_end(), kind) && said.contains(name),
            "{said}"
        );
    }
    // A match in place of a position, a position in place of a match, and a file with a position.
    let analysis = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/analysis/one1.mat");
    std::fs::write(folder.path().join("position.txt"), "4HPwATDgc/ABMA\n").unwrap();
    for (words, wanted) in [
        (
            ["show", analysis],
            "one1.mat is a match, not a position: gammond analyse",
        ),
        (
            ["analyse", "position.txt"],
            "is a position, not a match: gammond show",
        ),
        (
            ["show", "position.txt"],
            "gammond show \"$(cat position.txt)\"",
        ),
        (["eval", "position.txt"], "position.txt is a file"),
    ] {
        let output = gammond(folder.path(), &words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && said.contains(wanted),
            "{words:?}: {said}"
        );
    }
}

/// MAT-60: the same files uploaded, and the texts among them on lines.
#[test]
fn foreign_files_are_named_over_http_and_on_lines() {
    let server = start(|config| config.http = vec!["127.0.0.1:0".parse().unwrap()]);
    let http = server.http.clone().unwrap();
    for (name, head, kind) in FILES.iter().filter(|(_, head, _)| !head.is_empty()) {
        let body = whole(head);
        let head = format!(
            "POST /v1/analyse HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        let answer = raw(&http, &[head.as_bytes(), &body].concat());
        let said = answer.json();
        let detail = said["detail"]
            .as_str()
            .unwrap_or_else(|| panic!("{name}: {said}"));
        assert!(
            names(detail, kind) && answer.status == 422,
            "{name}: {said}"
        );
    }
    let mut client = Client::new(&server.address);
    for (text, kind) in [("%PDF-1.7", "a PDF document"), ("<html>", "an HTML page")] {
        let answer = client.ask(&format!("show {text}"));
        let message = answer["message"].as_str().unwrap();
        assert!(
            names(message, kind) && answer["code"] == "bad-position",
            "{text}: {answer}"
        );
    }
    assert_eq!(client.ask("ping")["type"], "pong");
}
