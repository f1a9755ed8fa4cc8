/** Something to decode, as it was given, and how it came here. */
export interface GivenInput {
  readonly content: string | Uint8Array | Blob
  /** Such as "pasted text" or "build.intoto.jsonl". */
  readonly name: string
}

/** Text longer than this is not put into the field: browsers take seconds to lay it out. */
const mostInField = 200_000

/** Whether a text is shown in the field where it was pasted. */
export function fitsField(text: string): boolean {
  return text.length <= mostInField
}
