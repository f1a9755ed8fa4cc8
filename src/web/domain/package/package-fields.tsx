import { Group, TextInput } from '@mantine/core'
import type { ReactElement } from 'react'
import {
  type PackageAddress,
  readRepositoryUrl,
  readSha256,
} from '../../../protocol/package-address.ts'
import { packageText, readPackageReference } from '../../../protocol/package-reference.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import type { Artifact } from './package-links.ts'

/** What identifies a package, as it was typed. */
export interface PackageValues {
  /** A package URL, an image, Maven coordinates or the address of its page. */
  readonly reference: string
  readonly sha256: string
  readonly repositoryUrl: string
}

/** What is wrong with the fields, or what the service said of them: plain sentences. */
export type PackageMistakes = Readonly<Partial<Record<keyof PackageValues, string>>>

/** Reads the fields, so that every mistake is reported at once, each at its field. */
export function readPackageFields(
  values: PackageValues,
):
  | { readonly ok: true; readonly address: PackageAddress; readonly artifact: Artifact }
  | { readonly ok: false; readonly mistakes: PackageMistakes } {
  const reference = readPackageReference(values.reference)
  const sha256 = readSha256(values.sha256)
  const repositoryUrl = readRepositoryUrl(values.repositoryUrl)
  if (reference.ok && sha256.ok && repositoryUrl.ok) {
    const artifact = { sha256: sha256.value, repositoryUrl: repositoryUrl.value }
    return { ok: true, address: reference.reference.address, artifact }
  }
  return {
    ok: false,
    mistakes: {
      ...(reference.ok ? {} : { reference: reference.mistake }),
      ...(sha256.ok ? {} : { sha256: sha256.mistake }),
      ...(repositoryUrl.ok ? {} : { repositoryUrl: repositoryUrl.mistake }),
    },
  }
}

/**
 * What the service said of a field (400). It names fields in its sentence
 * (docs/services.md#policy-service-problems); `others` are further ones, by the words it uses for them.
 * What names none stands at the package.
 */
export function refusedFields(
  { status, problem, message }: ProblemError,
  others: Readonly<Record<string, RegExp>>,
): Readonly<Record<string, string>> {
  if (status !== 400) return {}
  const text = problem.detail ?? message
  const sentence = `Response of the policy service: ${text}`
  const words = { ...others, sha256: /sha-?256|digest/i, repositoryUrl: /repository/i }
  const named = Object.entries<RegExp>(words).filter(([, pattern]) => pattern.test(text))
  return named.length === 0
    ? { reference: sentence }
    : Object.fromEntries(named.map(([field]) => [field, sentence]))
}

/** The fields of a form that identify a package; each shows what is wrong with it. */
export function PackageFields({
  values,
  mistakes,
  onChange,
}: {
  values: PackageValues
  mistakes: PackageMistakes
  onChange: (name: keyof PackageValues, text: string) => void
}): ReactElement {
  const read = readPackageReference(values.reference)
  const common = (name: keyof PackageValues) => ({
    name,
    value: values[name],
    error: mistakes[name],
    autoComplete: 'off',
    autoCapitalize: 'off',
    spellCheck: false,
    styles: { input: { fontFamily: 'var(--font-mono)' } },
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => {
      onChange(name, event.currentTarget.value)
    },
  })
  return (
    <>
      <TextInput
        {...common('reference')}
        label="Package"
        placeholder="pkg:maven/com.acme/shop@1.2"
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        description={
          read.ok
            ? `Read as ${read.reference.form}: ${packageText(read.reference.address)}${read.reference.note === undefined ? '' : `. ${read.reference.note}`}`
            : 'Package URL, image reference, Maven coordinates, or the URL of its page'
        }
      />
      <Group gap={12} align="flex-start">
        <TextInput
          {...common('sha256')}
          flex="1 1 220px"
          label="SHA-256 digest"
          placeholder="64 hexadecimal digits"
        />
        <TextInput
          {...common('repositoryUrl')}
          flex="1 1 220px"
          label="Repository"
          placeholder="registry.example.com/shop"
        />
      </Group>
    </>
  )
}

/** The fields after the reference was changed: it fills others that are empty or came from the one before. */
export function withReference<T extends PackageValues & { readonly scan?: string }>(
  fields: T,
  reference: string,
): T {
  const before = valuesOf(fields.reference)
  const now = valuesOf(reference)
  const next = { ...fields, reference }
  for (const name of ['sha256', 'repositoryUrl', 'scan'] as const) {
    const value = fields[name]
    if (value === '' || (value !== undefined && value === before[name])) {
      Object.assign(next, { [name]: now[name] ?? '' })
    }
  }
  return next
}

function valuesOf(reference: string): { sha256?: string; repositoryUrl?: string; scan?: string } {
  const read = readPackageReference(reference)
  return read.ok ? read.reference : {}
}
