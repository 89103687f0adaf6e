// The module in a thread of Node.

import { parentPort } from "node:worker_threads";
import { receive } from "./serve.js";

parentPort.on("message", (message) => receive(message, (answer) => parentPort.postMessage(answer)));
