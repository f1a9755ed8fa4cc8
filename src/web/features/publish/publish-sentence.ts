import { isPublishing, type PublishView } from '../../data/publish/publish-run.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageText } from '../../domain/package/package-words.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { isOutcomeKnown } from './is-outcome-known.ts'

/** How a publication stands, in one sentence, and what that means. */
export interface PublishSentence {
  readonly tone: StatusTone
  readonly text: string
}

/** The sentence on top of the page; undefined before anything was published. */
export function publishSentence(view: PublishView): PublishSentence | undefined {
  const { state, question, outcomes, stored, status } = view
  if (question === undefined) return undefined
  const name = packageText(question.address)
  const refused = outcomes.length - stored
  const are = countOf(stored, 'attestation')
  const and = refused === 0 ? '' : `, ${refused} refused`
  if (isPublishing(state)) {
    return { tone: 'waiting', text: `Publishing for ${name}: ${are} stored so far${and}.` }
  }
  switch (state.is) {
    case 'cancelled':
      return {
        tone: 'waiting',
        text: `Cancelled: ${are} of ${name} ${isAre(stored)} stored and will stay${and}.`,
      }
    case 'broken':
      return {
        tone: 'bad',
        text: `The answer broke off: ${are} of ${name} ${isAre(stored)} stored for certain${and}.`,
      }
    case 'refused':
      return stored === 0
        ? {
            tone: 'bad',
            text: isOutcomeKnown(state.problem)
              ? `Not published: no attestation of ${name} is known to be stored.`
              : `No answer: whether attestations of ${name} were published is not known.`,
          }
        : {
            tone: 'bad',
            text: `Partly published: ${are} of ${name} ${stored === 1 ? 'exists' : 'exist'} now${and}.`,
          }
    case 'idle':
    case 'asking':
    case 'reading':
    case 'done':
      break
  }
  if (refused > 0) {
    return stored === 0
      ? {
          tone: 'bad',
          text: `Not published: the stores refused ${countOf(refused, 'attestation')} of ${name}.`,
        }
      : {
          tone: 'bad',
          text: `Partly published: ${are} of ${name} ${stored === 1 ? 'exists' : 'exist'} now${and}.`,
        }
  }
  if (stored > 0) return { tone: 'good', text: `Published: ${are} of ${name} stored.` }
  if (status !== null) {
    return {
      tone: status === 'success' ? 'good' : 'waiting',
      text: `The service says “${status}” of ${name}, and names no attestation.`,
    }
  }
  return {
    tone: 'waiting',
    text: `The service names no attestation of ${name}: nothing is known to be stored.`,
  }
}

function isAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}

/** What keeps the answer from being whole, and what stands all the same: sentences. */
export function publishCaveats({
  state,
  outcomes,
  stored,
  unreadable,
}: PublishView): readonly string[] {
  const caveats: string[] = []
  if (state.is === 'cancelled') {
    caveats.push(
      'What is stored stays stored: publishing cannot be undone. The service may have stored more than it told before it noticed.',
    )
  }
  if (state.is === 'broken') {
    caveats.push(
      `${state.problem.message} Those marked as stored exist now; more may exist of which nothing is known here. Evaluate a policy scan of the package to see what the service has.`,
    )
  }
  const isOver = !isPublishing(state)
  if (isOver && state.is !== 'broken' && state.is !== 'cancelled' && stored < outcomes.length) {
    caveats.push(
      stored === 0
        ? 'Each says below why its store refused it.'
        : 'Those marked as stored exist now and stay. Publishing again stores these once more; each refused one says below why.',
    )
  }
  if (unreadable > 0) {
    caveats.push(
      `${countOf(unreadable, 'part')} of the answer could not be read: what became of ${unreadable === 1 ? 'it' : 'them'} is not known.`,
    )
  }
  return caveats
}
