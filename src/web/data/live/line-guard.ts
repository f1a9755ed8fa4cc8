import { problem, ProblemError } from '../../../protocol/problem.ts'

const lineFeed = 10
const carriageReturn = 13

/** What the guard keeps to. */
export interface LineGuard {
  readonly maxLineBytes: number
  /** Called for each piece that comes, also for comments. */
  readonly onBytes: () => void
  /** Has the last word on whole lines. */
  readonly rewrite: (lines: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>
}

/**
 * Passes bytes on in whole lines. The parser behind it copies all it holds each time an unfinished
 * line grows, which is quadratic (16 MB in one line: 5 s of processor); given whole lines it never
 * holds any. What follows the last line end is dropped at the end, as an unfinished message is.
 * Errors with a ProblemError when a line exceeds the limit.
 */
export function guardLines({
  maxLineBytes,
  onBytes,
  rewrite,
}: LineGuard): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let held: Uint8Array<ArrayBuffer>[] = []
  let heldBytes = 0

  function take(piece: Uint8Array<ArrayBuffer>, pass: (lines: Uint8Array<ArrayBuffer>) => void) {
    const end = lastLineEnd(piece)
    if (heldBytes + (end === 0 ? piece.length : firstLineEnd(piece)) > maxLineBytes) {
      throw tooLong(maxLineBytes)
    }
    if (end > 0) {
      pass(join([...held, piece.subarray(0, end)], heldBytes + end))
      held = []
      heldBytes = 0
    }
    if (end < piece.length) {
      held.push(piece.subarray(end))
      heldBytes += piece.length - end
    }
  }

  return new TransformStream({
    transform(chunk, controller) {
      onBytes()
      // No line within a piece this short can be too long, so only its first line needs a look.
      for (let at = 0; at < chunk.length; at += maxLineBytes) {
        take(chunk.subarray(at, at + maxLineBytes), (lines) => {
          controller.enqueue(rewrite(lines))
        })
      }
    },
  })
}

/** Where the last line ends, its line end included; 0 where none does. */
function lastLineEnd(piece: Uint8Array): number {
  const afterFeed = piece.lastIndexOf(lineFeed) + 1
  return afterFeed + piece.subarray(afterFeed).lastIndexOf(carriageReturn) + 1
}

function firstLineEnd(piece: Uint8Array): number {
  const feed = piece.indexOf(lineFeed)
  const before = feed === -1 ? piece : piece.subarray(0, feed)
  const back = before.indexOf(carriageReturn)
  return back === -1 ? before.length : back
}

function join(pieces: readonly Uint8Array<ArrayBuffer>[], length: number): Uint8Array<ArrayBuffer> {
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function tooLong(maxLineBytes: number): ProblemError {
  return new ProblemError(
    problem(
      502,
      'line-too-long',
      'Line too long',
      `The proxy sent a line of more than ${maxLineBytes} bytes, which is not read.`,
    ),
  )
}
