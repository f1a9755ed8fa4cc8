import { Button } from '@mantine/core'
import { type ReactElement, type SyntheticEvent, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import {
  emptyFields,
  type FieldMistakes,
  type FieldName,
  type FormFields,
  readForm,
  withReference,
} from './form-fields.ts'
import { FormField } from '../../ui/form-field.tsx'
import css from './packages-page.module.css'
import { packageLink, packageText } from '../../domain/package/package-links.ts'

/**
 * Asks which package, and which scan of it. Nothing is sent before every field can be read; then it
 * leads to the address of the scan's page, which `onSubmit` is told before.
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
  const [fields, setFields] = useState<FormFields>({ ...emptyFields, ...initial })
  const [mistakes, setMistakes] = useState<FieldMistakes>(refused)
  const form = useRef<HTMLFormElement>(null)
  const listId = useId()
  const read = readPackageReference(fields.reference)

  function change(name: FieldName, text: string): void {
    setFields(name === 'reference' ? withReference(fields, text) : { ...fields, [name]: text })
    setMistakes(({ [name]: _gone, ...others }) => others)
  }

  function submit(event: SyntheticEvent): void {
    event.preventDefault()
    const whole = readForm(fields)
    if (whole.ok) {
      const link = packageLink(whole.address, whole, whole.scan)
      onSubmit?.(link)
      void navigate(link)
      return
    }
    setMistakes(whole.mistakes)
    const [first] = Object.keys(whole.mistakes)
    form.current?.querySelector<HTMLInputElement>(`input[name="${String(first)}"]`)?.focus()
  }

  const common = (name: FieldName) => ({
    name,
    value: fields[name],
    mistake: mistakes[name],
    onChange: (text: string) => {
      change(name, text)
    },
  })
  return (
    <form
      ref={form}
      className={css.form}
      noValidate
      aria-label="Package and scan"
      onSubmit={submit}
    >
      <FormField
        {...common('reference')}
        label="Package"
        isWide
        example="pkg:maven/com.acme/shop@1.2, registry/shop/app:1.2@sha256:…, com.acme:shop:1.2"
        hint={
          read.ok
            ? `Read as ${read.reference.form}: ${packageText(read.reference.address)}`
            : 'Package URL, image reference, Maven coordinates, or the address of its page'
        }
      />
      <FormField {...common('sha256')} label="SHA-256 digest" example="64 hexadecimal digits" />
      <FormField
        {...common('repositoryUrl')}
        label="Repository"
        example="registry.example.com/shop"
      />
      <FormField {...common('scan')} label="Policy scan" example="release" listId={listId} />
      <datalist id={listId}>
        {scans.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button type="submit">Evaluate</Button>
    </form>
  )
}
