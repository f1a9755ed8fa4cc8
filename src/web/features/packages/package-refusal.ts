import type { ProblemError } from '../../../protocol/problem.ts'
import {
  checkRepository,
  problemWords,
  raiseLimits,
  waitText,
} from '../../data/core/problem-words.ts'
import { type PackageValues, refusedFields } from '../../domain/package/package-fields.tsx'
import type { ProblemText } from '../../ui/problem.tsx'

/** What is wrong with fields of a package and its policy scan: plain sentences. */
export type FieldMistakes = Readonly<Partial<Record<keyof PackageValues | 'scan', string>>>

/** Why there are no results: what it means for the reader, and who can do what next. */
export function refusalText(scan: string, fault: ProblemError): ProblemText {
  const requested = { action: 'read', noun: 'this package', server: 'policy service' }
  return problemWords(fault, requested, {
    forbidden: {
      meaning: `Sightline's user isn't allowed to read this package or its repository. ${checkRepository}`,
    },
    'not-found': {
      title: `Policy scan “${scan}” not found.`,
      meaning:
        "The policy service has no policy scan with this name. Choose another name, or ask the policy administrator. The package wasn't evaluated.",
    },
    mistaken: { meaning: 'The reason is shown next to the field. Correct it and evaluate again.' },
    busy: {
      title: 'The policy service is too busy.',
      meaning: `Sightline retried several times. Try again in ${waitText(fault)}. ${raiseLimits}`,
    },
    failed: { title: 'The policy service failed.' },
  })
}

/** What the service said of a field (400, 404). */
export function refusedAt(fault: ProblemError): FieldMistakes {
  return fault.status === 404 && !fault.problem.type.endsWith(':no-governor')
    ? { scan: 'The policy service has no policy scan with this name.' }
    : refusedFields(fault, { scan: /policy[ -]?scan/i })
}
