import type { ProblemError } from '../../../protocol/problem.ts'
import { refusalKind } from '../../../protocol/refusal-kind.ts'
import { packageText } from '../../domain/package/package-words.ts'
import { problemDetail, waitText } from '../../ui/problem-detail.ts'
import type { ProblemText } from '../../ui/problem-panel.tsx'
import type { PublishQuestion } from '../../data/publish/publish-run.ts'
import { isOutcomeKnown } from './is-outcome-known.ts'
import type { DraftMistakes } from './read-draft.ts'

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
