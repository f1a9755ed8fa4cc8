import { VisuallyHidden } from '@mantine/core'
import type { ReactElement } from 'react'
import { shortenMiddle } from './shorten-middle.ts'
import css from './id-text.module.css'

/** An id shortened in the middle; whole in the tooltip and for screen readers. */
export function IdText({ id }: { id: string }): ReactElement {
  return (
    <span className={css.id} title={id}>
      <span aria-hidden="true">{shortenMiddle(id)}</span>
      <VisuallyHidden>{id}</VisuallyHidden>
    </span>
  )
}
