/** Something that the operator can put right; the message is the sentence to print. */
export class ArchiveProblem extends Error {
  override readonly name = "ArchiveProblem";
}
