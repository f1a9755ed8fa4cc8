import { type Clock, wait } from '../../../protocol/clock.ts'

/** After so much work in one go, ms, the browser gets to draw. */
const longestGoMs = 12
/** A text for a moment need not be told that it is being written, ms. */
const tellEveryMs = 200
/** So many characters are handed to the browser together, which keeps them outside of the page. */
const charsTogether = 1_000_000

/** How a long text is written. */
export interface WritingOptions {
  readonly type: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Told now and then how many bytes there are, of a text that takes long. */
  readonly tell: (bytes: number) => void
}

/**
 * A text of many pieces as a file, in goes so short that the page stays usable. Undefined where it was
 * cancelled.
 */
export async function writeInPieces(
  pieces: Iterable<string>,
  { type, clock, signal, tell }: WritingOptions,
): Promise<Blob | undefined> {
  const written: Blob[] = []
  let held: string[] = []
  let heldChars = 0
  let bytes = 0
  let since = clock.now()
  let toldAt = since
  for (const piece of pieces) {
    held.push(piece)
    heldChars += piece.length
    if (heldChars >= charsTogether) {
      const part = new Blob(held)
      written.push(part)
      bytes += part.size
      held = []
      heldChars = 0
    }
    if (clock.now() - since < longestGoMs) continue
    if (clock.now() - toldAt >= tellEveryMs) {
      tell(bytes)
      toldAt = clock.now()
    }
    await wait(clock, 0, signal)
    if (signal.aborted) return undefined
    since = clock.now()
  }
  return new Blob([...written, ...held], { type })
}
