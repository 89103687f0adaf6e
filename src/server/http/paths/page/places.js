// Where things are: a server has the places below its root, a folder of files below any path. The links of the frame say it.

// The link to a place: analyse, play, matches or quiz.
export const place = (name) => document.querySelector(`header a[data-place="${name}"]`).href;

// A file beside the scripts.
export const beside = (name) => new URL(name, import.meta.url);
