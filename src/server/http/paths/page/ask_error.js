// The error of an answer, by a server or by an engine in this browser, with a code of the line protocol.

import { t } from "./strings.js";

export class AskError extends Error {
  constructor({ message, code = "", status = 0 }) {
    super(message ?? t("status {status}", { status }));
    this.code = code;
    // Another try would be refused too.
    this.isRefusal = status < 500;
  }
}

export const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
