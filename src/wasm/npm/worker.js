// The module in a worker of a browser.

import { receive } from "./serve.js";

self.onmessage = ({ data }) => receive(data, (answer) => self.postMessage(answer));
