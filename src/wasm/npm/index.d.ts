/** A position in any form that gammond reads: GNUbg IDs, XGID, OGID, FIBS boards, position keys. */
export type Position = string;

/** A request as an object; `settings` are those of the line protocol, by the same names. */
export interface Request {
  verb: "move" | "cube" | "eval" | "rollout" | "rolls" | "scores" | "cubes" | "explain" | "opening" | "reply" | "convert" | "show" | "version";
  position?: Position;
  opening?: string;
  roll?: [number, number] | string;
  plays?: string[];
  cube?: boolean;
  settings?: Record<string, unknown>;
  id?: string | number;
}

/** The answer: the JSON of the line protocol and of `POST /v1/VERB`. */
export interface Answer {
  type: string;
  [member: string]: any;
}

export interface Call {
  /** Ends the request: at once if it waits, else the worker is replaced. The promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Receives progress of rollouts (with the setting `progress`) and of matches. An error in it ends the request, whose promise rejects with it. */
  onProgress?: (progress: Answer) => void;
}

export interface Options {
  /** The module: compiled, its bytes, or where it is (default: beside this file). */
  wasm?: WebAssembly.Module | Uint8Array | ArrayBuffer | URL | string;
  /** True to fetch the strong nets at once, or their file. */
  strong?: boolean | Uint8Array | URL | string;
  /** Megabytes of the cache of evaluations, 0 for none (default 16, at most 1024). */
  cacheMegabytes?: number;
}

/** An error of a request: `code` and `field` are those of the line protocol. */
export class GammondError extends Error {
  code: string;
  field?: string;
}

/** An engine in a worker. Requests are answered one after the other. */
export class Engine {
  private constructor();
  ask(request: string | Request, call?: Call): Promise<Answer>;
  /** Answers a request line with the text of the answer. */
  askText(line: string, call?: Call): Promise<string>;
  analyse(file: string | Uint8Array | ArrayBuffer, options?: Call & { settings?: Record<string, unknown>; format?: "json" }): Promise<Answer>;
  analyse(file: string | Uint8Array | ArrayBuffer, options: Call & { settings?: Record<string, unknown>; format: string }): Promise<Uint8Array>;
  /** Ranks the plays of an XGID with dice; the cube action of one without. */
  hint(xgid: string, plies?: number, call?: Pick<Call, "signal">): Promise<Answer>;
  /** Takes and gives the JSON of bgweb-api's `getmoves`. */
  wasm_get_moves(json: string, call?: Pick<Call, "signal">): Promise<string>;
  /** Fetches the strong nets (3.1 MB), which answer what is asked from then on. Where they are damaged, the nets before them go on. */
  useStrongNets(file?: Uint8Array | URL | string): Promise<void>;
  /** Ends the worker. Requests that wait fail, and later ones too, with the code `stopped`. */
  close(): void;
}

/** Opens an engine; resolves when the module is compiled. */
export function open(options?: Options): Promise<Engine>;

/**
 * The module in this thread, without a worker: each call blocks until it is answered. `onProgress` cannot ask the module; an error in it ends the
 * request, which throws it.
 */
export class Module {
  constructor(module: WebAssembly.Module, options?: { nets?: Uint8Array; cacheMegabytes?: number });
  ask(request: string | Request, onProgress?: ((progress: Answer) => boolean | void) | null): Answer;
  /** Answers a request line with the text of the answer. */
  askText(line: string, onProgress?: ((progress: Answer) => boolean | void) | null): string;
  analyse(file: Uint8Array, options?: { settings?: Record<string, unknown>; format?: string }, onProgress?: ((progress: Answer) => boolean | void) | null): Uint8Array;
  bgwebMoves(json: string): string;
  /** The memory that the module has taken, in bytes. */
  memoryBytes(): number;
}

/** Unpacks the file of the strong nets for {@link Module}. */
export function unpackNets(packed: Uint8Array): Promise<Uint8Array>;
