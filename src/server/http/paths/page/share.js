// What a person takes along of a position: a link, its IDs, a picture.

import { dialog } from "./frame.js";
import { download, h } from "./html.js";
import { painted, picture } from "./picture.js";
import { link } from "./question.js";
import { t } from "./strings.js";

const FORMS = [["position", "Position ID"], ["gnubgid", "GNUbg ID"], ["xgid", "XGID"], ["ogid", "OGID"]];

// `drawn` is the picture to share, as picture.js wants it.
export function share(shown, question, drawn) {
  const { ids } = shown;
  const address = new URL(link(question), location.href).href;
  const forms = FORMS.filter(([name]) => ids[name]).map(([name, label]) => [name, label, ids[name]]);
  const rows = [["link", t("Link"), address], ...forms].flatMap(([name, label, text]) => {
    const field = h("input", { id: `id-${name}`, value: text, readonly: true, spellcheck: "false" });
    const copy = h("button", { type: "button", "aria-label": t("Copy {label}", { label }) }, t("Copy"));
    copy.addEventListener("click", () => {
      field.select();
      navigator.clipboard?.writeText(text).then(() => { copy.textContent = t("Copied"); }, () => {});
    });
    return [h("label", { for: `id-${name}` }, label), field, copy];
  });
  const save = (label, name, made) => {
    const button = h("button", { type: "button", "data-picture": name }, label);
    button.addEventListener("click", async () => download(`position.${name}`, await made(), ""));
    return button;
  };
  const drawing = () => picture(shown, drawn);
  const pictures = h("div", { class: "row" }, save(t("Picture as PNG"), "png", async () => painted(await drawing())),
    save(t("Picture as SVG"), "svg", drawing));
  dialog(t("Share"), h("div", { class: "ids" }, ...rows), pictures);
}
