import type { BuildPart } from '../../data/build/build-event-messages.ts'
import type { PartState } from '../../data/build/build-events.ts'
import { countOf } from '../../../protocol/count.ts'
import { bytesText, durationText } from '../../ui/format.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** What there is to say of the reading of a part, and what its reader can do. */
export interface PartSentence {
  readonly tone: StatusTone
  readonly text: string
  readonly action?: 'cancel' | 'go-on' | 'again'
}

const partWords: Readonly<Record<BuildPart, string>> = {
  header: 'what is known of the build',
  executions: 'what the build did',
  log: 'all events',
}

/** The sentence at `now` (epoch ms); undefined where all is well and done. */
export function partSentence(
  part: BuildPart,
  state: PartState,
  now: number,
): PartSentence | undefined {
  const what = partWords[part]
  switch (state.state) {
    case 'idle':
      return undefined
    case 'loading':
      return {
        tone: 'info',
        text: `Reading ${what}: ${amountText(state)} so far.`,
        action: 'cancel',
      }
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((state.nextAttemptAt - now) / 1000))
      const next =
        seconds === 0 ? 'Asking again now' : `Asking again in ${durationText(seconds * 1000)}`
      const why =
        state.problem.status === 429
          ? 'The build server is asked too often.'
          : 'The build server is still storing this build.'
      return {
        tone: 'waiting',
        text: `${why} ${next} (attempt ${state.attempt}).`,
        action: 'cancel',
      }
    }
    case 'stopped': {
      const kept = `what came is kept: ${amountText(state)}.`
      const text =
        state.because === null
          ? `Reading ${what} was cancelled; ${kept}`
          : `Reading ${what} broke off; ${kept} ${state.because.message}`
      return { tone: 'waiting', text, action: 'go-on' }
    }
    case 'refused':
      return { tone: 'bad', text: `No events to show: ${state.problem.message}`, action: 'again' }
    case 'complete':
      return state.malformed === 0
        ? undefined
        : { tone: 'waiting', text: `${countOf(state.malformed, 'event')} could not be read.` }
  }
}

function amountText({ events, bytes }: { events: number; bytes: number }): string {
  return `${countOf(events, 'event')}, ${bytesText(bytes)}`
}
