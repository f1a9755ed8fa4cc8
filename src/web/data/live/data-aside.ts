import { problem, ProblemError } from '../../../protocol/problem.ts'

/** Keeps the data of a stream's messages while the library reads their framing. */
export interface DataAside {
  /**
   * Takes the values of `data:` lines out of whole lines and puts numbers in their place; all other
   * lines stay as they are. Throws a ProblemError when one message has more data than is allowed.
   */
  readonly set: (lines: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>
  /** The data of a message, by the numbers that the library made into its data. */
  readonly take: (numbers: string) => string
}

/**
 * Lets the data of messages by-pass the library, which looks at each byte in turn and so takes as
 * long for a batch of builds as JSON.parse does. It still decides what a message is; and data is
 * what the standard says it is, which in the library it is not always (an empty first line, a
 * byte-order mark).
 */
export function createDataAside(maxMessageBytes: number): DataAside {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const encoder = new TextEncoder()
  const kept = new Map<number, Uint8Array>()
  let keptBytes = 0
  let last = 0

  function keep(value: Uint8Array): number {
    keptBytes += value.length
    if (keptBytes > maxMessageBytes) throw tooLong(maxMessageBytes)
    last += 1
    kept.set(last, value)
    return last
  }

  function release(number: number): string {
    const value = kept.get(number)
    if (value === undefined) return ''
    kept.delete(number)
    keptBytes -= value.length
    return decoder.decode(value)
  }

  return {
    set: (lines) => {
      const pieces: Uint8Array[] = []
      let passed = 0
      for (const { start, end } of linesOf(lines)) {
        if (!isData(lines, start, end)) continue
        const valueStart = start + dataField.length
        const value = lines.subarray(lines[valueStart] === space ? valueStart + 1 : valueStart, end)
        pieces.push(lines.subarray(passed, valueStart), encoder.encode(String(keep(value))))
        passed = end
      }
      if (passed === 0) return lines
      return concat([...pieces, lines.subarray(passed)])
    },
    take: (numbers) =>
      numbers.includes('\n')
        ? numbers
            .split('\n')
            .map((number) => release(Number(number)))
            .join('\n')
        : release(Number(numbers)),
  }
}

const lineFeed = 10
const carriageReturn = 13
const space = 32
const dataField = new TextEncoder().encode('data:')

function isData(lines: Uint8Array, start: number, end: number): boolean {
  return (
    end - start >= dataField.length && dataField.every((code, at) => lines[start + at] === code)
  )
}

/** Where each line starts and ends; the LF of a CRLF makes an empty line more, which is passed on. */
function* linesOf(lines: Uint8Array): Generator<{ start: number; end: number }> {
  let back = indexOrEnd(lines, carriageReturn, 0)
  for (let start = 0; start < lines.length;) {
    if (back < start) back = indexOrEnd(lines, carriageReturn, start)
    const end = Math.min(indexOrEnd(lines, lineFeed, start), back)
    yield { start, end }
    start = end + 1
  }
}

function indexOrEnd(lines: Uint8Array, code: number, from: number): number {
  const index = lines.indexOf(code, from)
  return index === -1 ? lines.length : index
}

function concat(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function tooLong(maxBytes: number): ProblemError {
  const sentence = `The proxy sent a message of more than ${maxBytes} bytes, which is not read.`
  return new ProblemError(problem(502, 'message-too-long', 'Message too long', sentence))
}
