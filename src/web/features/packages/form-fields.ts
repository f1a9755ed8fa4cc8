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
        "The policy service rejects Sightline's credentials.",
        'They may have expired or been revoked. Your administrator must renew them.',
      )
    case 'signed-out':
      return told(
        'You are signed out of Sightline.',
        'Your session has ended. Reload the page to sign in. The URL keeps the package and the scan.',
      )
    case 'forbidden':
      return told(
        "Sightline isn't allowed to read this package.",
        "Sightline's user isn't allowed to read this package or its repository. Check the repository for typos first, or ask an administrator of the policy service for the permission.",
      )
    case 'no-service':
      return told('No policy service is configured.', fault.message)
    case 'not-found':
      return told(
        `Policy scan “${scan}” not found.`,
        "The policy service has no policy scan with this name. Choose another name, or ask the policy administrator. The package wasn't evaluated.",
      )
    case 'mistaken':
      return told(
        'The policy service rejected the request.',
        'The reason is shown next to the field. Correct it and evaluate again.',
      )
    case 'busy':
      return told(
        'The policy service is too busy.',
        `Sightline retried several times. Try again in ${waitText(fault)}. If this persists, the administrator of the policy service can raise its limits.`,
      )
    case 'unheard':
      return told(
        "Can't reach Sightline.",
        `${fault.message} Nothing was evaluated. Try again when you are online.`,
      )
    case 'failed':
      return told(
        'The policy service failed.',
        `${fault.message} Try again. If it keeps failing, send the details below to the administrator of the policy service.`,
      )
  }
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
