import { countOf } from '../../../protocol/count.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import {
  checkRepository,
  problemWords,
  raiseLimits,
  refusalKind,
  renewCredentials,
  waitText,
} from '../../data/core/problem-words.ts'
import {
  isPublishing,
  type PublishQuestion,
  type PublishView,
} from '../../data/publish/publisher.ts'
import { refusedFields } from '../../domain/package/package-fields.tsx'
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
  const and = refused === 0 ? '' : `, ${refused} rejected`
  if (isPublishing(state)) {
    const soFar = outcomes.length === 0 ? 'no response yet' : `${are} stored so far${and}`
    return { tone: 'waiting', text: `Publishing for ${name}: ${soFar}.` }
  }
  const partly = {
    tone: 'bad',
    text: `Partly published: ${are} of ${name} ${stored === 1 ? 'exists' : 'exist'} now${and}.`,
  } as const
  switch (state.is) {
    case 'cancelled':
      return {
        tone: 'waiting',
        text:
          outcomes.length === 0
            ? `Canceled: attestations of ${name} may or may not have been published.`
            : `Canceled: ${are} of ${name} ${isAre(stored)} stored and will remain${and}.`,
      }
    case 'broken':
      return {
        tone: 'bad',
        text:
          outcomes.length === 0
            ? `Incomplete response: attestations of ${name} may or may not have been published.`
            : `Incomplete response: ${are} of ${name} ${isAre(stored)} stored for certain${and}.`,
      }
    case 'refused':
      return stored === 0
        ? {
            tone: 'bad',
            text:
              refused > 0 || isOutcomeKnown(state.problem)
                ? `Not published: no attestations of ${name} are known to be stored.`
                : `${isUnheard(state.problem) ? 'No response' : isCut(state.problem) ? 'Incomplete response' : 'Failed'}: attestations of ${name} may or may not have been published.`,
          }
        : partly
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
          text: `Not published: the stores rejected ${countOf(refused, 'attestation')} of ${name}.`,
        }
      : partly
  }
  if (stored > 0) {
    return status === null || status === 'success'
      ? { tone: 'good', text: `Published: ${are} of ${name} stored.` }
      : {
          tone: 'bad',
          text: `Partly published: ${are} of ${name} stored, but the policy service also reports “${status}”.`,
        }
  }
  if (status !== null) {
    return {
      tone: status === 'success' ? 'good' : 'waiting',
      text: `The policy service reports “${status}” for ${name} without naming an attestation.`,
    }
  }
  return {
    tone: 'waiting',
    text: `The policy service lists no attestations of ${name}, so nothing is known to be stored.`,
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
      outcomes.length === 0
        ? unknown
        : "Stored attestations remain: publishing can't be undone. The policy service may have stored more than it reported before the cancellation.",
    )
  }
  if (state.is === 'broken') {
    caveats.push(
      outcomes.length === 0
        ? `${state.problem.sentence} ${unknown}`
        : `${state.problem.sentence} Attestations marked as stored exist now; there may be more. Evaluate a policy scan of the package to see all.`,
    )
  }
  const isOver = !isPublishing(state)
  if (isOver && state.is !== 'broken' && state.is !== 'cancelled' && stored < outcomes.length) {
    caveats.push(
      stored === 0
        ? 'The reasons are listed below.'
        : 'Attestations marked as stored exist now and remain. Publishing again stores them again. The reasons for the rejected ones are listed below.',
    )
  }
  if (unreadable > 0) {
    caveats.push(
      `${countOf(unreadable, 'part')} of the response couldn't be read, so ${unreadable === 1 ? 'its' : 'their'} outcome is unknown.`,
    )
  }
  return caveats
}

const unknown =
  "It's unknown whether anything was published. Before you publish again, evaluate a policy scan of the package to check."

/** Why the service did not publish: what it means for the reader, and who can do what next. */
export function refusalText(question: PublishQuestion, fault: ProblemError): ProblemText {
  const noun = `for ${packageText(question.address)}`
  const requested = { action: 'publish', noun, server: 'policy service' }
  // Publishing is not simply tried again.
  const said = fault.sentence.replace(/ Try(?: it)? again(?: later)?\.$/, '')
  const failed = {
    title:
      fault.status < 500 && !isItemized(fault)
        ? 'The policy service rejected the request.'
        : 'The policy service failed while publishing.',
    meaning: `${said} ${isOutcomeKnown(fault) ? '' : `${unknown} `}If a store is named below, its administrator can help. Otherwise send the details below to the administrator of the policy service.`,
  }
  return problemWords(fault, requested, {
    credential: { meaning: `${renewCredentials} Nothing was published.` },
    'signed-out': {
      meaning: 'Your session ended. Sign in and publish again. Nothing was published.',
    },
    forbidden: {
      meaning: `Sightline's user isn't allowed to use this package or its repository. ${checkRepository}`,
    },
    mistaken: {
      meaning:
        'The reason is shown in the form. Correct it and publish again. Nothing was published.',
    },
    busy: {
      title: 'The policy service is too busy.',
      meaning: `Nothing was published. Try again in ${waitText(fault)}. ${raiseLimits}`,
    },
    unheard: {
      title: 'The connection was lost before the response arrived.',
      meaning: `${said} ${unknown}`,
    },
    'not-found': failed,
    failed: isUnheard(fault)
      ? {
          title: 'No response from the policy service.',
          meaning: `${said} ${unknown} Your administrator can check the connection.`,
        }
      : isCut(fault)
        ? { title: 'The response was cut off.', meaning: `${said} ${unknown}` }
        : failed,
  })
}

/** What the service said of a part of the form (400). */
export function refusedParts(fault: ProblemError): DraftMistakes {
  return refusedFields(fault, {
    builds: /buildScan\.ids|\bno build\b|build ids?\b/i,
    queries: /quer(?:y|ies)/i,
  })
}

/** Whether the service was not heard, by this browser or by the proxy: it may have published all the same. */
function isUnheard(fault: ProblemError): boolean {
  const isUpstreamUnheard = /:upstream-(?:unreachable|timeout)$/.test(fault.problem.type)
  return isUpstreamUnheard || refusalKind(fault) === 'unheard'
}

/** Whether the connection broke, or the session ended: the service may have gone on. */
function isCut({ problem: { type } }: ProblemError): boolean {
  return type.endsWith(':answer-broke-off')
}

/**
 * Whether a failed publication is known to have stored no more than it names: it was turned down before it began, or
 * names what became of each. A service, or a gateway before it, that fails midway has often stored a part.
 */
function isOutcomeKnown(fault: ProblemError): boolean {
  const isFailure = refusalKind(fault) === 'failed' && fault.status >= 500
  return !isUnheard(fault) && (!isFailure || isItemized(fault))
}

/** Whether it names what became of each attestation. */
function isItemized({ problem: { successes, errors } }: ProblemError): boolean {
  return Array.isArray(successes) || Array.isArray(errors)
}

/** How many attestations of the same artifact the last publication of this tab is known to have stored. */
export function storedBefore(
  { question, stored }: PublishView,
  requested: PublishQuestion,
): number {
  const isSame =
    question !== undefined &&
    packagePath(question.address) === packagePath(requested.address) &&
    question.sha256 === requested.sha256 &&
    question.repositoryUrl === requested.repositoryUrl
  return isSame ? stored : 0
}
