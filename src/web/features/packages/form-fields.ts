import {
  type FieldReading,
  type PackageAddress,
  readRepositoryUrl,
  readScanName,
  readSha256,
} from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import {
  checkRepository,
  problemWords,
  raiseLimits,
  waitText,
} from '../../data/core/problem-words.ts'
import type { ProblemText } from '../../ui/problem.tsx'

/** The fields of the form, in their order, as they were filled in. */
export interface FormFields {
  readonly reference: string
  readonly sha256: string
  readonly repositoryUrl: string
  readonly scan: string
}
export type FieldName = keyof FormFields

/** What is wrong, by field: plain sentences. */
export type FieldMistakes = Readonly<Partial<Record<FieldName, string>>>

/** Filled in for an evaluation, or all that is wrong with it. */
export type FormReading =
  | {
      readonly ok: true
      readonly address: PackageAddress
      readonly sha256: string
      readonly repositoryUrl: string
      readonly scan: string
    }
  | { readonly ok: false; readonly mistakes: FieldMistakes }

export const emptyFields: FormFields = { reference: '', sha256: '', repositoryUrl: '', scan: '' }

/** Reads the whole form, so that every mistake is told at once, each at its field. */
export function readForm(fields: FormFields): FormReading {
  const reference = readPackageReference(fields.reference)
  const sha256 = readSha256(fields.sha256)
  const repositoryUrl = readRepositoryUrl(fields.repositoryUrl)
  const scan = readScanName(fields.scan)
  if (reference.ok && sha256.ok && repositoryUrl.ok && scan.ok) {
    return {
      ok: true,
      address: reference.reference.address,
      sha256: sha256.value,
      repositoryUrl: repositoryUrl.value,
      scan: scan.value,
    }
  }
  return {
    ok: false,
    mistakes: {
      ...(reference.ok ? {} : { reference: reference.mistake }),
      ...mistakeOf('sha256', sha256),
      ...mistakeOf('repositoryUrl', repositoryUrl),
      ...mistakeOf('scan', scan),
    },
  }
}

function mistakeOf(name: FieldName, read: FieldReading): FieldMistakes {
  return read.ok ? {} : { [name]: read.mistake }
}

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

/**
 * What the service said of a field (400, 404). It names fields in its sentence
 * (docs/services.md#policy-service-problems); one that names none is said at the package.
 */
export function refusedFields({ status, problem, message }: ProblemError): FieldMistakes {
  if (status === 404 && !problem.type.endsWith(':no-governor')) {
    return { scan: 'The policy service has no policy scan with this name.' }
  }
  if (status !== 400) return {}
  const text = problem.detail ?? message
  const said = `Response of the policy service: ${text}`
  const named = {
    ...(/sha-?256|digest/i.test(text) ? { sha256: said } : {}),
    ...(/repository/i.test(text) ? { repositoryUrl: said } : {}),
    ...(/policy[ -]?scan/i.test(text) ? { scan: said } : {}),
  }
  return Object.keys(named).length === 0 ? { reference: said } : named
}
