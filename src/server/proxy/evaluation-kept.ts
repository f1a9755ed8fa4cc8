import { createGzip, gunzip } from 'node:zlib'
import { promisify } from 'node:util'

/** What is kept of an answer: its first results, compressed while they arrive. */
export interface KeptAnswer {
  /** Keeps a result, a JSON text without line breaks, or counts it as left out. */
  readonly add: (result: string) => void
  /** Once, at the end. */
  readonly finish: () => Promise<{ readonly body: Uint8Array; readonly leftOut: number }>
}

/** How much of one answer is kept. */
const keptResults = 20_000
const keptCharacters = 16 * 1024 * 1024
/** Short texts are compressed together, characters. */
const batch = 64 * 1024

/** Keeps nothing yet. What it holds in memory is compressed but for the last few results. */
export function createKeptAnswer(): KeptAnswer {
  const gzip = createGzip({ level: 4 })
  const chunks: Buffer[] = []
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk))
  let waiting: string[] = []
  let waitingLength = 0
  let kept = 0
  let keptLength = 0
  let leftOut = 0

  function flush(): void {
    // Its own queue cannot grow beyond what is kept at most.
    if (waiting.length > 0) gzip.write(waiting.join(''))
    waiting = []
    waitingLength = 0
  }

  return {
    add: (result) => {
      // Once one is left out, so are all that follow: what is kept has no holes.
      if (leftOut > 0 || kept === keptResults || keptLength + result.length > keptCharacters) {
        leftOut += 1
        return
      }
      kept += 1
      keptLength += result.length
      waiting.push(result, '\n')
      waitingLength += result.length
      if (waitingLength >= batch) flush()
    },
    finish: () =>
      new Promise((resolve, reject) => {
        gzip.once('error', reject)
        gzip.once('end', () => {
          resolve({ body: new Uint8Array(Buffer.concat(chunks)), leftOut })
        })
        flush()
        gzip.end()
      }),
  }
}

/** What was kept, as the text of a JSON array: each result as it was written. */
export async function keptAsJson(body: Uint8Array): Promise<string> {
  const lines = (await promisify(gunzip)(body)).toString('utf8')
  // A line break stands behind each result, and nowhere else.
  return `[${lines.replace(/\n$/, '').replaceAll('\n', ',')}]`
}
