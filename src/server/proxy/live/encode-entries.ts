import { liveEvents } from '../../../protocol/live-feed.ts'
import type { Entry } from './journal.ts'

/**
 * Entries as messages of the feed. With `batch`, builds that follow one another become one `Builds`
 * message whose id is that of its last build, so that a reader parses once and resumes correctly.
 * Each message is one line of our own JSON: what an upstream sent cannot break the framing.
 */
export function encodeEntries(entries: Iterable<Entry>, batch: boolean): string {
  let text = ''
  let run: (Entry & { kind: 'build' })[] = []
  let runLength = 0
  const flushRun = (): void => {
    text += encodeBuilds(run)
    run = []
    runLength = 0
  }
  for (const entry of entries) {
    if (entry.kind === 'build') {
      run.push(entry)
      runLength += entry.json.length
      if (!batch || runLength > maxRunLength) flushRun()
    } else {
      flushRun()
      text += `event: ${liveEvents[entry.kind]}\ndata: ${entry.json}\n\n`
    }
  }
  flushRun()
  return text
}

/** Keeps one message far below the 1 MB that readers accept, in characters. */
const maxRunLength = 256 * 1024

function encodeBuilds(run: readonly (Entry & { kind: 'build' })[]): string {
  const last = run.at(-1)
  if (last === undefined) return ''
  const name = run.length === 1 ? liveEvents.build : liveEvents.builds
  const data = run.length === 1 ? last.json : `[${run.map(({ json }) => json).join(',')}]`
  return `id: ${last.id}\nevent: ${name}\ndata: ${data}\n\n`
}
