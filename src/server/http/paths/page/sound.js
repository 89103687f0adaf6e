// Sounds of checkers and dice, made here; off until a person turns them on.

import { keepText, kept } from "./kept.js";

const KEPT = "gammond.sound";
let context = null;

export const isOn = () => kept(KEPT) === "1";
export const turnOn = (on) => keepText(KEPT, on ? "1" : "0");

// A short knock of wood: noise that dies away, without its high part.
function knock(delay, pitch, loudness) {
  context ??= new AudioContext();
  const length = Math.floor(context.sampleRate * 0.06);
  const buffer = context.createBuffer(1, length, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < length; at += 1) samples[at] = (2 * Math.random() - 1) * (1 - at / length) ** 6;
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "lowpass", frequency: pitch });
  const gain = new GainNode(context, { gain: loudness });
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(context.currentTime + delay);
}

export function checkers(count) {
  if (isOn()) for (let at = 0; at < Math.min(count, 4); at += 1) knock(0.12 + at * 0.07, 900, 0.5);
}

export function dice() {
  if (isOn()) for (const delay of [0, 0.05, 0.13, 0.18]) knock(delay, 2400, 0.25);
}
