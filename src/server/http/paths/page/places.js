// Where things are: below the root of a server, or in a folder of files. The links of the frame say it.

// The link to a place: analyse, play, matches or quiz.
export const place = (name) => document.querySelector(`header a[data-place="${name}"]`).href;

// A file beside the scripts.
export const beside = (name) => new URL(name, import.meta.url);
