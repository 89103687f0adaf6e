// Colours and board before the first drawing: a script of its own, not a module, so that nothing flashes.

(() => {
  const kept = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const paint = () => {
    const colours = kept("gammond.colours");
    const isDark = colours === "dark" || (colours !== "light" && dark.matches);
    root.toggleAttribute("data-dark", isDark);
    root.dataset.board = kept("gammond.board") ?? (isDark ? "slate" : "walnut");
  };
  dark.addEventListener("change", paint);
  addEventListener("gammond-look", paint);
  paint();
})();
