import { parentPort } from "node:worker_threads";
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import * as common from "@zxcvbn-ts/language-common";
import * as english from "@zxcvbn-ts/language-en";
import { lowerThreadPriority } from "@nts/shared/thread-priority";

// Rates passwords in a separate thread: the dictionaries take 30 MB, and an adversarial password 60 ms of CPU.

/** 0 to 4; 3 means more than a hundred million guesses. */
const STRONG = 3;

lowerThreadPriority(5);

const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  translations: english.translations,
  // The default of 100 takes three times as long, and finds nothing more in so few characters.
  l33tMaxSubstitutions: 10,
});

/** Request and result: the reason that the password is weak, or null. */
export interface StrengthQuestion {
  readonly parts: readonly string[];
  readonly words: readonly string[];
}

parentPort?.on("message", ({ parts, words }: StrengthQuestion) => {
  parentPort?.postMessage(reasonOf(parts, words));
});

function reasonOf(parts: readonly string[], words: readonly string[]): string | null {
  let reason = "";
  for (const part of parts) {
    const { score, feedback } = estimator.check(part, [...words]);
    if (score >= STRONG) return null;
    reason ||= [feedback.warning, ...feedback.suggestions].filter(Boolean).join(" ");
  }
  return `is too easy to guess. ${reason}`.trim();
}
