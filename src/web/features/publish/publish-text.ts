import { countOf } from '../../../protocol/count.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { problemDetail, refusalKind, waitText } from '../../data/core/problem-words.ts'
import {
  isPublishing,
  type PublishQuestion,
  type PublishView,
} from '../../data/publish/publisher.ts'
import { packageText } from '../../domain/package/package-links.ts'
import type { ProblemText } from '../../ui/problem.tsx'
import type { StatusTone } from '../../ui/status-mark.tsx'
import type { DraftMistakes } from './publish-draft.ts'

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
        text: `Incomplete response: ${are} of ${name} ${isAre(stored)} stored for certain${and}.`,
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

const unknown =
  'Whether anything was published is not known: evaluate a policy scan of the package to see, before you publish again.'

/** Why the service did not publish: what it means for the reader, and who can do what next. */
export function refusalText(question: PublishQuestion, fault: ProblemError): ProblemText {
  const detail = problemDetail(fault)
  const told = (title: string, meaning: string): ProblemText => ({ title, meaning, detail })
  const kind = refusalKind(fault)
  if (kind === 'failed' && !isOutcomeKnown(fault)) {
    return told(
      'Sightline had no answer from the service.',
      `${fault.message} ${unknown} Whoever runs Sightline can look after the connection.`,
    )
  }
  switch (kind) {
    case 'credential':
      return told(
        'The service does not accept the credential of Sightline.',
        'It may have expired or been revoked. Whoever runs Sightline must renew it; nothing that you enter here can. Nothing was published.',
      )
    case 'signed-out':
      return told(
        'You are signed out of Sightline.',
        'Your session has ended. Load the page again to sign in; the address keeps what you chose. Nothing was published.',
      )
    case 'forbidden':
      return told(
        `Sightline may not publish for ${packageText(question.address)}.`,
        'The service knows the user that Sightline works as, but does not let it use this package or its repository. Whoever administers the service can give it the permission; a mistyped repository is refused in the same way, so look at it first.',
      )
    case 'no-service':
      return told('There is no service to publish to.', fault.message)
    case 'mistaken':
      return told(
        'The service does not accept what it was asked to publish.',
        'Its reason stands at the part of the form that it names. Correct that, and publish again. Nothing was published.',
      )
    case 'busy':
      return told(
        'The service is too busy to publish.',
        `Nothing was published. Publish again in ${waitText(fault)}; if it stays like this, whoever runs the service can let it work on more at once.`,
      )
    case 'unheard':
      return told(
        'The connection was lost before the service answered.',
        `${fault.message} ${unknown}`,
      )
    case 'not-found':
    case 'failed':
      return told(
        'The service failed while it published.',
        `${fault.message} That is nothing you did. If what refused is named below, whoever runs that store can help; otherwise tell whoever runs the service, with the detail below.`,
      )
  }
}

/**
 * What the service said of a part of the form (400). It names fields in its sentence
 * (docs/services.md#policy-service-problems); one that names none is said at the package.
 */
export function refusedParts({ status, problem, message }: ProblemError): DraftMistakes {
  if (status !== 400) return {}
  const text = problem.detail ?? message
  const said = `The service says: ${text}`
  const named = {
    ...(/buildScan\.ids|\bno build\b|build ids?\b/i.test(text) ? { builds: said } : {}),
    ...(/quer(?:y|ies)/i.test(text) ? { queries: said } : {}),
    ...(/sha-?256|digest/i.test(text) ? { sha256: said } : {}),
    ...(/repository/i.test(text) ? { repositoryUrl: said } : {}),
  }
  return Object.keys(named).length === 0 ? { reference: said } : named
}

/**
 * Whether a failed publication is known to have failed. Where the service was not heard, by this
 * browser or by the proxy, it may have published all the same.
 */
function isOutcomeKnown(fault: ProblemError): boolean {
  const isUpstreamUnheard = /:upstream-(?:unreachable|timeout)$/.test(fault.problem.type)
  return !isUpstreamUnheard && refusalKind(fault) !== 'unheard'
}

/** How many attestations of the same artifact the last publication of this tab is known to have stored. */
export function storedBefore({ question, stored }: PublishView, asked: PublishQuestion): number {
  const isSame =
    question !== undefined &&
    packagePath(question.address) === packagePath(asked.address) &&
    question.sha256 === asked.sha256 &&
    question.repositoryUrl === asked.repositoryUrl
  return isSame ? stored : 0
}
