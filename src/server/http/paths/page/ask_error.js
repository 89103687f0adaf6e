// The error of an answer, by a server or by an engine in this browser, with a code of the line protocol.

import { t } from "./strings.js";

// HTTP statuses from here on are the server's fault; an engine in this browser has none.
const SERVER_ERROR = 500;

export class AskError extends Error {
  constructor({ message, code = "", status = 0 }) {
    super(message ?? t("status {status}", { status }));
    this.code = code;
    // True if there was an answer: another try has the same one.
    this.isRefusal = status < SERVER_ERROR;
  }
}

export const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
