import type { PackageAddress } from '../../../protocol/package-address.ts'
import {
  type FieldReading,
  readRepositoryUrl,
  readScanName,
  readSha256,
} from '../../../protocol/package-artifact.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'

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

/**
 * The fields after the reference was changed: what it says of the others is filled in, where they
 * are empty or were filled in by the reference before.
 */
export function withReference(fields: FormFields, reference: string): FormFields {
  const before = toldBy(fields.reference)
  const now = toldBy(reference)
  const next = (name: 'sha256' | 'repositoryUrl' | 'scan'): string =>
    fields[name] === '' || fields[name] === before[name]
      ? (now[name] ?? (fields[name] === before[name] ? '' : fields[name]))
      : fields[name]
  return {
    reference,
    sha256: next('sha256'),
    repositoryUrl: next('repositoryUrl'),
    scan: next('scan'),
  }
}

function toldBy(reference: string): Partial<Omit<FormFields, 'reference'>> {
  const read = readPackageReference(reference)
  return read.ok ? read.reference : {}
}

function mistakeOf(name: FieldName, read: FieldReading): FieldMistakes {
  return read.ok ? {} : { [name]: read.mistake }
}
