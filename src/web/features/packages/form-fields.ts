import {
  type FieldReading,
  type PackageAddress,
  readRepositoryUrl,
  readScanName,
  readSha256,
} from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { problemDetail, refusalKind, waitText } from '../../data/core/problem-words.ts'
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
  const detail = problemDetail(fault)
  const told = (title: string, meaning: string): ProblemText => ({ title, meaning, detail })
  switch (refusalKind(fault)) {
    case 'credential':
      return told(
        'The policy scan service does not accept the credential of Sightline.',
        'It may have expired or been revoked. Whoever runs Sightline must renew it; nothing that you enter here can.',
      )
    case 'signed-out':
      return told(
        'You are signed out of Sightline.',
        'Your session has ended. Load the page again to sign in; the address keeps the package and the scan.',
      )
    case 'forbidden':
      return told(
        'This package is not for Sightline to read.',
        'The service knows the user that Sightline works as, but does not let it read this package or its repository. Whoever administers the service can give it the permission; a mistyped repository is refused in the same way, so look at it first.',
      )
    case 'no-service':
      return told('There is no policy scan service.', fault.message)
    case 'not-found':
      return told(
        `There is no policy scan “${scan}”.`,
        'The service has no scan of this name. Choose another name; if it should be there, ask whoever defines the policies. The package itself was not looked at.',
      )
    case 'mistaken':
      return told(
        'The service does not accept what it was asked.',
        'Its reason stands at the field that it names. Correct it, and evaluate again.',
      )
    case 'busy':
      return told(
        'The service is too busy to evaluate.',
        `Sightline asked it again and again, and gave up. Try again in ${waitText(fault)}; if it stays like this, whoever runs the service can let it work on more at once.`,
      )
    case 'unheard':
      return told(
        'Sightline cannot be reached.',
        `${fault.message} Nothing was evaluated. Try again when the connection is back.`,
      )
    case 'failed':
      return told(
        'The service failed to evaluate.',
        `${fault.message} That is nothing you did: try again, and if it fails once more, tell whoever runs the service, with the detail below.`,
      )
  }
}

/**
 * What the service said of a field (400, 404). It names fields in its sentence
 * (docs/services.md#policy-service-problems); one that names none is said at the package.
 */
export function refusedFields({ status, problem, message }: ProblemError): FieldMistakes {
  if (status === 404 && !problem.type.endsWith(':no-governor')) {
    return { scan: 'The service has no scan of this name.' }
  }
  if (status !== 400) return {}
  const text = problem.detail ?? message
  const said = `The service says: ${text}`
  const named = {
    ...(/sha-?256|digest/i.test(text) ? { sha256: said } : {}),
    ...(/repository/i.test(text) ? { repositoryUrl: said } : {}),
    ...(/policy[ -]?scan/i.test(text) ? { scan: said } : {}),
  }
  return Object.keys(named).length === 0 ? { reference: said } : named
}
