import { Autocomplete, Button, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactElement } from 'react'
import { useNavigate } from 'react-router'
import { PackageFields, withReference } from '../../domain/package/package-fields.tsx'
import { packageLink } from '../../domain/package/package-links.ts'
import { emptyFields, type FieldMistakes, type FormFields, readForm } from './form-fields.ts'

/**
 * Which package, and which policy scan of it. Nothing is sent before every field can be read; then it
 * leads to the page of the scan, whose address `onSubmit` gets first.
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
  onSubmit?: (link: string) => void
}): ReactElement {
  const navigate = useNavigate()
  const form = useForm<FormFields>({
    initialValues: { ...emptyFields, ...initial },
    initialErrors: refused,
    validate: (fields) => {
      const read = readForm(fields)
      return read.ok ? {} : read.mistakes
    },
  })

  function submit(fields: FormFields): void {
    const read = readForm(fields)
    if (!read.ok) return
    const link = packageLink(read.address, read, read.scan)
    onSubmit?.(link)
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
          maw={352}
          autoComplete="off"
          data={[...new Set(scans)]}
          {...form.getInputProps('scan')}
        />
        <div>
          <Button type="submit">Evaluate</Button>
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
