// Names of what this browser keeps for a client that is signed in: no other client sees it.
const { client } = document.getElementById("main").dataset;
export const ownName = (name) => (client === undefined ? name : `${name} ${client}`);

// Short texts that this browser keeps. Where it forbids that, nothing is kept and the pages work as on a first visit.

export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepText(name, text) {
  try {
    localStorage.setItem(name, text);
  } catch {
    // The choice holds for this page.
  }
}
