import { Autocomplete, Button, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactElement } from 'react'
import { useNavigate } from 'react-router'
import * as z from 'zod/mini'
import { type PackageAddress, readScanName } from '../../../protocol/package-address.ts'
import { usePageServices } from '../../data/core/services.ts'
import {
  PackageFields,
  readPackageFields,
  withReference,
} from '../../domain/package/package-fields.tsx'
import { type Artifact, packageLink } from '../../domain/package/package-links.ts'
import { useMay } from '../../domain/permission/may.ts'
import { useDraftState } from '../../ui/drafts.ts'
import type { FieldMistakes } from './package-refusal.ts'

/**
 * Which package, and which policy scan of it. Nothing is sent before every field can be read; then it
 * evaluates, for those who may, and leads to the page of the scan.
 */
export function PackageForm({
  initial = {},
  refused = {},
  scans,
  onSubmit,
}: {
  initial?: Partial<FormFields>
  /** What the service said of a field; shown until that field is changed. */
  refused?: FieldMistakes
  /** Names of scans to offer. */
  scans: readonly string[]
  onSubmit?: () => void
}): ReactElement {
  const navigate = useNavigate()
  const { scans: opened } = usePageServices()
  const { isAllowed: mayEvaluate } = useMay('evaluate')
  const [typed, setTyped] = useDraftState('package', FormFields, { ...emptyFields, ...initial })
  const form = useForm<FormFields>({
    initialValues: typed,
    onValuesChange: setTyped,
    initialErrors: refused,
    validate: (fields) => {
      const read = readForm(fields)
      return read.ok ? {} : read.mistakes
    },
  })

  function submit(fields: FormFields): void {
    const read = readForm(fields)
    if (!read.ok) return
    const link = packageLink(read.address, read.artifact, read.scan)
    // The button says so; opening the page evaluates nothing.
    if (mayEvaluate) opened.open({ address: read.address, ...read.artifact, scan: read.scan }).run()
    onSubmit?.()
    void navigate(link)
  }

  return (
    <form
      noValidate
      aria-label="Package and scan"
      onSubmit={form.onSubmit(submit, (errors, _values, event) => {
        const [first] = Object.keys(errors)
        event?.currentTarget
          .querySelector<HTMLInputElement>(`input[name="${String(first)}"]`)
          ?.focus()
      })}
    >
      <Stack gap={12} maw={720}>
        <PackageFields
          values={form.values}
          mistakes={textsOf(form.errors)}
          onChange={(name, text) => {
            if (name === 'reference') form.setValues(withReference(form.values, text))
            else form.setFieldValue(name, text)
            form.clearFieldError(name)
          }}
        />
        <Autocomplete
          name="scan"
          label="Policy scan"
          placeholder="release"
          autoComplete="off"
          data={[...new Set(scans)]}
          {...form.getInputProps('scan')}
        />
        <div>
          <Button type="submit">{mayEvaluate ? 'Evaluate' : 'Show last run'}</Button>
        </div>
      </Stack>
    </form>
  )
}

function textsOf(errors: Readonly<Record<string, unknown>>): FieldMistakes {
  return Object.fromEntries(
    Object.entries(errors).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}

/** The fields of the form, in their order, as they were filled in. */
const FormFields = z.object({
  reference: z.string(),
  sha256: z.string(),
  repositoryUrl: z.string(),
  scan: z.string(),
})
type FormFields = z.infer<typeof FormFields>

export const emptyFields: FormFields = { reference: '', sha256: '', repositoryUrl: '', scan: '' }

/** Reads the whole form: ready for an evaluation, or all that is wrong with it, each at its field. */
export function readForm(fields: FormFields):
  | {
      readonly ok: true
      readonly address: PackageAddress
      readonly artifact: Artifact
      readonly scan: string
    }
  | { readonly ok: false; readonly mistakes: FieldMistakes } {
  const read = readPackageFields(fields)
  const scan = readScanName(fields.scan)
  if (read.ok && scan.ok) return { ...read, scan: scan.value }
  const mistakes = read.ok ? {} : read.mistakes
  return { ok: false, mistakes: scan.ok ? mistakes : { ...mistakes, scan: scan.mistake } }
}
