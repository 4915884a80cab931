import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A process that answers questions, one at a time. `Answers` has the type of the answer to each. */
export interface AskedProcess<Answers> {
  readonly child: ChildProcess;
  ask<Question extends keyof Answers & string>(question: Question): Promise<Answers[Question]>;
}

/** Starts a program with options as JSON. Resolves with its first message. */
export async function startAskedProcess<Answers>(program: URL, options: object): Promise<AskedProcess<Answers>> {
  const child = fork(program, [JSON.stringify(options)], { execArgv: [] });
  await once(child, "message");
  return {
    child,
    ask: async (question) => {
      child.send(question);
      const [answer] = (await once(child, "message")) as [Answers[typeof question]];
      return answer;
    },
  };
}
