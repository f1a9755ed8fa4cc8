import { CloseButton, Group } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { CopyButton } from '../../ui/copy.tsx'
import css from './tables.module.css'

/** All about the row of a table that is selected, over its end. */
export function DetailsPanel({
  label,
  title,
  copy,
  onClose,
  children,
}: {
  label: string
  title: string
  /** The text to copy, and what it is. */
  copy: readonly [text: string, what: string]
  onClose: () => void
  children: ReactNode
}): ReactElement {
  return (
    <section className={css.details} aria-label={label}>
      <Group component="h2" gap={0} m={0} wrap="nowrap" ff="monospace" fz="sm">
        {title}
        <CopyButton text={copy[0]} what={copy[1]} />
        <CloseButton className={css.close} aria-label="Close details" onClick={onClose} />
      </Group>
      {children}
    </section>
  )
}
